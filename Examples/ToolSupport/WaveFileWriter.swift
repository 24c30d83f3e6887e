// SPDX-License-Identifier: MIT
import Glibc

/// Writes a WAV file that can be played at any moment while it is written, whatever happens to the program: its header
/// follows every block. Beyond 4 GiB it turns into an RF64 file by itself.
///
/// ``suspend()`` frees its file descriptor for as long as there is nothing to write, and ``resume()`` goes on.
///
/// - Thread: one at a time.
package struct WaveFileWriter: ~Copyable {
    private var target: OutputFile
    private let header: WaveHeader
    private var bytes: [UInt8] = []
    /// Frames that are in the file.
    package private(set) var frameCount = 0

    /// Empties the file and writes its header.
    ///
    /// - Throws: ``ToolFailure``.
    package init(_ target: OutputFile, channelCount: Int, sampleRate: Int, format: SampleFormat) throws {
        self.target = target
        header = WaveHeader(
            channelCount: channelCount, sampleRate: Int(UInt32(clamping: sampleRate)), format: format)
        guard ftruncate(target.descriptor, 0) == 0, writeHeader() else { throw target.failure() }
    }

    package var path: String { target.path }

    /// Adds interleaved frames.
    ///
    /// - Throws: ``ToolFailure``. What was written before can be played.
    package mutating func write(_ samples: ArraySlice<Float>) throws {
        let count = samples.count / header.channelCount
        let written: Int
        switch header.format {
        case .float32:
            written = unsafe samples.withUnsafeBytes { unsafe target.write($0, at: end) }
        case .int16, .int24:
            encode(samples, bytesPerSample: header.format.rawValue / 8)
            written = unsafe bytes.withUnsafeBytes { unsafe target.write($0, at: end) }
        }
        let reason = errno
        frameCount += written / header.frameSize
        let isPlayable = writeHeader()
        guard written == count * header.frameSize else { throw fullness(reason) }
        guard isPlayable else { throw fullness(errno) }
    }

    /// Adds frames of silence. They take neither time nor room on the disk where the file system can have holes.
    ///
    /// - Throws: as ``write(_:)``.
    package mutating func writeSilence(frames: Int) throws {
        guard frames > 0 else { return }
        // A file of so many bytes is none.
        guard frames < Int.max / (2 * header.frameSize) - frameCount else { throw fullness(EFBIG) }
        guard ftruncate(target.descriptor, off_t(end + frames * header.frameSize)) == 0 else {
            return try writeZeros(frames: frames)
        }
        frameCount += frames
        guard writeHeader() else { throw fullness(errno) }
    }

    /// As much silence as there is room for.
    private mutating func writeZeros(frames: Int) throws {
        let zeros = [Float](repeating: 0, count: min(frames, 4096) * header.channelCount)
        var rest = frames
        while rest > 0 {
            let count = min(rest, 4096)
            try write(zeros[..<(count * header.channelCount)])
            rest -= count
        }
    }

    /// Where the next frame goes.
    private var end: Int { header.size + frameCount * header.frameSize }

    private func writeHeader() -> Bool {
        let bytes = header.bytes(frameCount: frameCount)
        return unsafe bytes.withUnsafeBytes { unsafe target.write($0, at: 0) } == bytes.count
    }

    /// Rounds to the nearest integer, and clips.
    private mutating func encode(_ samples: ArraySlice<Float>, bytesPerSample: Int) {
        let limit = Float(1 << (header.format.rawValue - 1))
        bytes.removeAll(keepingCapacity: true)
        for sample in samples {
            let scaled = (sample * limit).rounded()
            // NaN is no sound: silence.
            let clipped = Int32(scaled.isNaN ? 0 : min(max(scaled, -limit), limit - 1))
            for byte in 0..<bytesPerSample { bytes.append(UInt8(truncatingIfNeeded: clipped >> Int32(8 * byte))) }
        }
    }

    private func fullness(_ reason: Int32) -> ToolFailure {
        ToolFailure(
            "\(target.path) could take no more (\(SoundFileError.text(ofSystemError: reason))); what is in it, "
                + "\(frameCount) frames, can be played.")
    }

    // MARK: Without a descriptor

    /// Somebody has removed the file since. What was written goes with the descriptor.
    package var isRemoved: Bool { target.isRemoved }

    /// Closes the file until it is resumed. Idempotent.
    ///
    /// - Throws: ``ToolFailure``.
    package mutating func suspend() throws {
        guard target.isOpen else { return }
        try finish()
    }

    /// Opens the file again where it was left. Idempotent.
    ///
    /// - Returns: false if it is not there any more, or not as it was left.
    /// - Throws: ``ToolFailure``.
    package mutating func resume() throws -> Bool {
        try target.reopen(size: header.fileSize(frameCount: frameCount))
    }

    /// Goes on in another file, to which all is copied that was written.
    ///
    /// - Throws: ``ToolFailure``; then nothing has changed, and the other file is gone again.
    package mutating func move(to other: OutputFile) throws {
        do {
            try target.copy(to: other)
        } catch {
            other.discard()
            throw error
        }
        target.close()
        target = other
    }

    /// Ends the file. Nothing may be written after it.
    ///
    /// - Throws: ``ToolFailure``.
    package consuming func close() throws {
        try suspend()
    }

    private mutating func finish() throws {
        // Half a frame at the end, if a disk is full, would be no frame.
        let isCut = ftruncate(target.descriptor, off_t(header.fileSize(frameCount: frameCount))) == 0
        let reason = errno
        // Some file systems tell only now that they could not keep what they took.
        guard target.close(), isCut else {
            throw ToolFailure(
                "\(target.path) could not be finished: \(SoundFileError.text(ofSystemError: isCut ? errno : reason)).")
        }
    }
}
