// SPDX-License-Identifier: MIT
import Glibc

/// Writes a WAV file that can be played at any moment while it is written, whatever happens to the program: its header
/// follows every block. Beyond 4 GiB it turns into an RF64 file by itself.
///
/// ``suspend()`` frees its file descriptor for as long as there is nothing to write, and ``resume()`` goes on.
///
/// - Thread: one at a time.
package struct WaveFileWriter: ~Copyable {
    private let file: VirtualWaveFile
    private let channelCount: Int
    private let format: SampleFormat
    /// Bytes in front of the first frame.
    private let headerSize: Int
    private var integers: [Int32] = []
    /// Frames that are in the file.
    package private(set) var frameCount = 0

    /// Empties the file and writes its header.
    ///
    /// - Throws: ``ToolFailure``.
    package init(_ target: OutputFile, channelCount: Int, sampleRate: Int, format: SampleFormat) throws {
        file = try VirtualWaveFile(target, channelCount: channelCount, sampleRate: sampleRate, format: format)
        headerSize = file.position
        self.channelCount = channelCount
        self.format = format
    }

    package var path: String { file.target.path }

    /// Adds interleaved frames.
    ///
    /// - Throws: ``ToolFailure``. What was written before can be played.
    package mutating func write(_ samples: ArraySlice<Float>) throws {
        let count = samples.count / channelCount
        let written: Int
        switch format {
        case .float32: written = file.write(samples, frames: count)
        case .int16, .int24:
            encode(samples)
            written = file.write(integers, frames: count)
        }
        frameCount += written
        guard written == count else {
            let failure = fullness(file.reason)
            // Half a frame at the end, if a disk is full, would be no frame.
            if file.target.resize(to: end) { _ = file.updateHeader() }
            throw failure
        }
        guard file.updateHeader() else { throw fullness(file.reason) }
    }

    /// Adds frames of silence. They take neither time nor room on the disk where the file system can have holes.
    ///
    /// - Throws: as ``write(_:)``.
    package mutating func writeSilence(frames: Int) throws {
        guard frames > 0 else { return }
        // A file of so many bytes is none.
        guard frames < Int.max / (2 * frameSize) - frameCount else {
            throw fullness(SoundFileError.text(ofSystemError: EFBIG))
        }
        guard file.target.resize(to: end + frames * frameSize) else { return try writeZeros(frames: frames) }
        frameCount += frames
        guard file.seek(toFrame: frameCount), file.updateHeader() else { throw fullness(file.reason) }
    }

    /// As much silence as there is room for.
    private mutating func writeZeros(frames: Int) throws {
        let zeros = [Float](repeating: 0, count: min(frames, 4096) * channelCount)
        var rest = frames
        while rest > 0 {
            let count = min(rest, 4096)
            try write(zeros[..<(count * channelCount)])
            rest -= count
        }
    }

    /// Bytes of one frame.
    private var frameSize: Int { channelCount * format.rawValue / 8 }

    /// Where the next frame goes.
    private var end: Int { headerSize + frameCount * frameSize }

    /// Rounds to the nearest integer, and clips: libsndfile rounds towards zero when it clips, and scales by one less when
    /// it does not.
    private mutating func encode(_ samples: ArraySlice<Float>) {
        let shift = Int32(32 - format.rawValue)
        let limit = Float(1 << (format.rawValue - 1))
        integers.removeAll(keepingCapacity: true)
        for sample in samples {
            let scaled = (sample * limit).rounded()
            // NaN is no sound: silence.
            let clipped = scaled.isNaN ? 0 : min(max(scaled, -limit), limit - 1)
            integers.append(Int32(clipped) << shift)
        }
    }

    private func fullness(_ reason: String) -> ToolFailure {
        ToolFailure("\(path) could take no more (\(reason)); what is in it, \(frameCount) frames, can be played.")
    }

    // MARK: Without a descriptor

    /// Somebody has removed the file since. What was written goes with the descriptor.
    package var isRemoved: Bool { file.target.isRemoved }

    /// Closes the file until it is resumed. Idempotent.
    ///
    /// - Throws: ``ToolFailure``.
    package mutating func suspend() throws {
        // Some file systems report only now that they could not keep what they took.
        guard file.target.close() else { throw failureToFinish(SoundFileError.systemText) }
    }

    /// Opens the file again where it was left. Idempotent.
    ///
    /// - Returns: false if it is not there any more, or not as it was left.
    /// - Throws: ``ToolFailure``.
    package mutating func resume() throws -> Bool { try file.target.reopen(size: end) }

    /// Goes on in another file, to which all is copied that was written.
    ///
    /// - Throws: ``ToolFailure``; then nothing has changed, and the other file is gone again.
    package mutating func move(to other: OutputFile) throws {
        do {
            try file.target.copy(to: other)
        } catch {
            other.discard()
            throw error
        }
        file.target.close()
        file.target = other
    }

    /// Ends the file. Nothing may be written after it.
    ///
    /// - Throws: ``ToolFailure``.
    package consuming func close() throws {
        guard file.target.isOpen else { return }
        let isWhole = file.finish()
        let reason = file.reason
        try suspend()
        guard isWhole else { throw failureToFinish(reason) }
    }

    private func failureToFinish(_ reason: String) -> ToolFailure {
        ToolFailure("\(path) could not be finished: \(reason).")
    }
}
