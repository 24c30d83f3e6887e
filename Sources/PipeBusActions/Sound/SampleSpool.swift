// SPDX-License-Identifier: MIT
import CSndFile
import DesktopSupport
import Glibc

/// The decoded samples of a compressed file, in a temporary file without a name: nothing is left of it, however the process ends.
///
/// - Thread: any that may wait for the disk, one at a time.
final class SampleSpool {
    /// A sample of 32 bits: no compressed format has longer ones.
    private static let byteCount = 4

    private(set) var frameCount = 0
    private let file: ScratchFile
    private let channelCount: Int
    private let numbers: SoundEncoding.Numbers
    /// Of the file that is decoded.
    private let name: String

    /// Decodes a whole file.
    ///
    /// - Parameters:
    ///   - decoder: of a file none of whose frames was read.
    ///   - largestFrameCount: more are an error.
    ///   - activity: called for each block. What it throws ends that.
    /// - Throws: ``SoundError``, or `CancellationError` if the task is cancelled.
    init(
        decoding decoder: SoundDecoder, name: String, largestFrameCount: Int, activity: (@Sendable () throws -> Void)?
    ) throws {
        do {
            file = try ScratchFile.make()
        } catch let error as DesktopError {
            throw SoundError(.unwritable, "\(name) needs a temporary file. \(error.message)")
        }
        self.name = name
        channelCount = Int(decoder.info.channels)
        numbers = decoder.format.encoding.numbers
        while true {
            try Task.checkCancellation()
            try activity?()
            let samples = try decoder.read(upTo: SoundInput.largestBlock(channelCount: channelCount))
            guard samples.count > 0 else { break }
            try write(samples)
            frameCount += samples.count / channelCount
            guard frameCount <= largestFrameCount else {
                throw SoundError(
                    .unsuitable,
                    "\(name) becomes longer than \(largestFrameCount) frames when it is decoded; use a shorter one.")
            }
        }
        // Silence at the end takes no room, either.
        guard ftruncate(file.descriptor, off_t(place(of: frameCount))) == 0 else { throw failure(errno) }
    }

    private func place(of frame: Int) -> Int { frame * channelCount * Self.byteCount }

    private func failure(_ error: Int32) -> SoundError {
        SystemErrors.writing("the decoded sound of \(name) in \(file.folder)", error)
    }

    private func write(_ samples: SoundSamples) throws {
        switch samples {
        case .integers(let samples): try unsafe samples.withUnsafeBytes { try unsafe write($0) }
        case .floats(let samples): try unsafe samples.withUnsafeBytes { try unsafe write($0) }
        case .doubles: preconditionFailure("a format with fixed frames needs no temporary file")
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws {
        // A compressed file of some bytes may hold hours of silence. They become a hole.
        guard unsafe bytes.contains(where: { $0 != 0 }) else { return }
        var error: Int32 = 0
        _ = unsafe PositionedIO.write(file.descriptor, from: bytes, at: place(of: frameCount), error: &error)
        guard error == 0 else { throw failure(error) }
    }

    /// Reads frames that are there.
    ///
    /// - Throws: ``SoundError``.
    func read(_ frames: Range<Int>) throws -> SoundSamples {
        let count = frames.count * channelCount
        let place = place(of: frames.lowerBound)
        var error: Int32 = 0
        var done = 0
        let samples: SoundSamples
        switch numbers {
        case .integers, .doubles:
            samples = .integers(
                ArraySlice(
                    unsafe [Int32](unsafeUninitializedCapacity: count) { buffer, initialized in
                        done = unsafe PositionedIO.read(
                            file.descriptor, into: UnsafeMutableRawBufferPointer(buffer), at: place, error: &error)
                        initialized = done / Self.byteCount
                    }))
        case .floats:
            samples = .floats(
                ArraySlice(
                    unsafe [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
                        done = unsafe PositionedIO.read(
                            file.descriptor, into: UnsafeMutableRawBufferPointer(buffer), at: place, error: &error)
                        initialized = done / Self.byteCount
                    }))
        }
        guard done == count * Self.byteCount else {
            throw SystemErrors.reading("The decoded sound of \(name) in \(file.folder)", error == 0 ? EIO : error)
        }
        return samples
    }
}
