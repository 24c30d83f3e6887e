// SPDX-License-Identifier: MIT
import Glibc

/// Writes a sound file that can be played at any moment, whatever happens to the program: it begins with a header, which a WAV
/// file has updated after every block. A FLAC file has the frames up to the last 4096, which are in the encoder until it is closed, and its
/// header says its length only then.
///
/// ``suspend()`` frees its file descriptor while there is nothing to write, and ``resume()`` opens it again.
///
/// - Thread: any, one at a time.
package struct SoundFileWriter: ~Copyable {
    private let file: VirtualSoundFile
    private let fileFormat: FileFormat
    private let channelCount: Int
    private let format: SampleFormat
    /// Number of bytes before the first frame of a WAV file.
    private let headerSize: Int
    private var integers: [Int32] = []
    /// Number of frames in the file.
    package private(set) var frameCount = 0

    /// Empties the file and writes its header.
    ///
    /// - Parameter target: made once the header is ready, which is then in it from the beginning.
    /// - Throws: ``ToolFailure``, or the error of `target`.
    package init(
        _ target: @autoclosure () throws -> OutputFile, channelCount: Int, sampleRate: Int, format: SampleFormat,
        as fileFormat: FileFormat = .wav,
        origin: SoundOrigin? = nil
    ) throws {
        // Before any of it is stored: Swift releases no half of a value that cannot be copied.
        let file = try VirtualSoundFile(
            channelCount: channelCount, sampleRate: sampleRate, format: format, as: fileFormat, origin: origin)
        try file.begin(in: target())
        self.file = file
        self.fileFormat = fileFormat
        headerSize = file.position
        self.channelCount = channelCount
        self.format = format
    }

    /// The header of a file without a frame.
    ///
    /// - Throws: ``ToolFailure`` if no file can have such a sound.
    package static func header(
        channelCount: Int, sampleRate: Int, format: SampleFormat, as fileFormat: FileFormat
    ) throws -> [UInt8] {
        try VirtualSoundFile.header(
            channelCount: channelCount, sampleRate: sampleRate, format: format, as: fileFormat)
    }

    package var path: String { file.target.path }

    /// Adds interleaved frames.
    ///
    /// - Throws: ``ToolFailure``. The file up to the earlier frames can be played.
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
            let reason = file.reason
            // On a full disk the encoder's last blocks are lost.
            if fileFormat == .flac { frameCount = min(frameCount, file.encodedFrameCount) }
            // A part of a frame may be at the end: it is removed.
            if file.target.resize(to: end) { _ = file.updateHeader() }
            throw fullness(reason)
        }
        guard file.updateHeader() else { throw fullness(file.reason) }
    }

    /// Adds frames of silence. On a file system with holes they take neither time nor room in a WAV file.
    ///
    /// - Throws: as ``write(_:)``.
    package mutating func writeSilence(frames: Int) throws {
        guard frames > 0 else { return }
        // No file has that many bytes.
        guard frames < Int.max / (2 * frameSize) - frameCount else {
            throw fullness(SoundFileError.text(ofSystemError: EFBIG))
        }
        guard fileFormat != .flac, file.target.resize(to: end + frames * frameSize) else {
            return try writeZeros(frames: frames)
        }
        frameCount += frames
        guard file.seek(toFrame: frameCount), file.updateHeader() else { throw fullness(file.reason) }
    }

    /// Writes as much silence as there is room for.
    private mutating func writeZeros(frames: Int) throws {
        let zeros = [Float](repeating: 0, count: min(frames, 4096) * channelCount)
        var rest = frames
        while rest > 0 {
            let count = min(rest, 4096)
            try write(zeros[..<(count * channelCount)])
            rest -= count
        }
    }

    /// Number of bytes in a frame.
    private var frameSize: Int { channelCount * format.rawValue / 8 }

    /// The end of the file, in bytes: of a WAV file the place of the next frame.
    private var end: Int { fileFormat == .flac ? file.end : headerSize + frameCount * frameSize }

    /// Rounds to the nearest integer, and clips. libsndfile rounds towards zero when it clips, and scales by one less
    /// when it does not.
    private mutating func encode(_ samples: ArraySlice<Float>) {
        let shift = Int32(32 - format.rawValue)
        let limit = Float(1 << (format.rawValue - 1))
        integers.removeAll(keepingCapacity: true)
        for sample in samples {
            let scaled = (sample * limit).rounded()
            // NaN is written as silence.
            let clipped = scaled.isNaN ? 0 : min(max(scaled, -limit), limit - 1)
            integers.append(Int32(clipped) << shift)
        }
    }

    private func fullness(_ reason: String) -> ToolFailure {
        ToolFailure(
            "\(path) could take no more (\(reason)), and its \(frameCount) frames can be played; make room, or go on with another file.",
            reason: reason)
    }

    // MARK: Suspension

    /// Whether the file was removed. What was written is lost when the descriptor is closed.
    package var isRemoved: Bool { file.target.isRemoved }

    /// Closes the file until it is resumed. Idempotent.
    ///
    /// - Throws: ``ToolFailure``.
    package mutating func suspend() throws {
        // Some file systems report only now that they could not keep the data.
        guard file.target.close() else { throw failureToFinish(SoundFileError.systemText) }
    }

    /// Opens the file again where it was left. Idempotent.
    ///
    /// - Returns: false if the file is gone or was changed.
    /// - Throws: ``ToolFailure``.
    package mutating func resume() throws -> Bool { try file.target.reopen(size: end) }

    /// Continues in another file, to which everything written so far is copied.
    ///
    /// - Throws: ``ToolFailure``. Then this file is unchanged and the other one is removed.
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

    /// Ends the file. No write may follow.
    ///
    /// - Throws: ``ToolFailure``.
    package consuming func close() throws {
        guard file.target.isOpen else { return }
        let isWhole = file.finish()
        let reason = file.reason
        guard isWhole || fileFormat != .flac else {
            // The encoder's last block found no room.
            frameCount = min(frameCount, file.encodedFrameCount)
            _ = file.target.resize(to: end)
            try suspend()
            throw fullness(reason)
        }
        try suspend()
        guard isWhole else { throw failureToFinish(reason) }
    }

    private func failureToFinish(_ reason: String) -> ToolFailure {
        ToolFailure(
            "\(path) could not be finished (\(reason)); play it to see whether all is in it.",
            reason: reason)
    }
}
