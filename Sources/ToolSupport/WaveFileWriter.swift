// SPDX-License-Identifier: MIT
import CSndFile
import Glibc

/// Writes a WAV file that can be played at any moment while it is written, whatever happens to the program: its header
/// follows every block. Beyond 4 GiB it turns into an RF64 file by itself.
///
/// - Thread: one at a time.
@safe package struct WaveFileWriter: ~Copyable {
    private let target: OutputFile
    private let file: OpaquePointer
    private let channelCount: Int
    private let format: SampleFormat
    private var integers: [Int32] = []
    /// Frames that are in the file.
    package private(set) var frameCount = 0

    /// Empties the file and writes its header.
    ///
    /// - Throws: ``ToolFailure``.
    package init(_ target: OutputFile, channelCount: Int, sampleRate: Int, format: SampleFormat) throws {
        self.target = target
        self.channelCount = channelCount
        self.format = format
        let encoding =
            switch format {
            case .int16: SF_FORMAT_PCM_16
            case .int24: SF_FORMAT_PCM_24
            case .float32: SF_FORMAT_FLOAT
            }
        var info = SF_INFO()
        info.samplerate = Int32(clamping: sampleRate)
        info.channels = Int32(channelCount)
        info.format = Int32(SF_FORMAT_RF64 | encoding)
        guard ftruncate(target.descriptor, 0) == 0 else {
            throw ToolFailure("\(target.path) cannot be written: \(SoundFileError.systemText).")
        }
        guard let file = unsafe sf_open_fd(target.descriptor, Int32(SFM_WRITE), &info, 0) else {
            throw ToolFailure("\(target.path) cannot be written: \(unsafe SoundFileError.text(nil)).")
        }
        // Plain WAV for as long as it fits in one. Both before anything is written, and not without it: what could not
        // be played after a kill would be no recording.
        let isReady = [SFC_RF64_AUTO_DOWNGRADE, SFC_SET_UPDATE_HEADER_AUTO].allSatisfy { command in
            unsafe sf_command(file, Int32(command), nil, Int32(SF_TRUE)) == SF_TRUE
        }
        guard isReady else {
            unsafe sf_close(file)
            throw ToolFailure("\(target.path) cannot be written: this libsndfile is too old; install a newer one.")
        }
        unsafe self.file = unsafe file
    }

    /// Adds interleaved frames.
    ///
    /// - Throws: ``ToolFailure``. What was written before can be played.
    package mutating func write(_ samples: ArraySlice<Float>) throws {
        let count = samples.count / channelCount
        let written =
            switch format {
            case .float32:
                unsafe samples.withUnsafeBufferPointer { samples in
                    unsafe sf_writef_float(file, samples.baseAddress, sf_count_t(count))
                }
            case .int16, .int24: writeIntegers(samples)
            }
        frameCount += Int(written)
        guard written == count else { throw failure() }
    }

    /// Adds frames of silence. They take neither time nor room on the disk where the file system can have holes.
    ///
    /// - Throws: as ``write(_:)``.
    package mutating func writeSilence(frames: Int) throws {
        guard frames > 0 else { return }
        guard frameCount > 0 else {
            // Only a first frame that is written makes the header as long as it will be.
            try write([Float](repeating: 0, count: channelCount)[...])
            return try writeSilence(frames: frames - 1)
        }
        var end = sf_count_t(frameCount + frames)
        // It goes to that place first, and then ends the file there; both can fail, in versions that we do not know.
        if unsafe sf_command(file, Int32(SFC_FILE_TRUNCATE), &end, Int32(MemoryLayout<sf_count_t>.size)) == 0,
            unsafe sf_seek(file, 0, Int32(SEEK_CUR)) == end
        {
            frameCount += frames
            unsafe sf_command(file, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
            return
        }
        unsafe sf_seek(file, sf_count_t(frameCount), Int32(SEEK_SET))
        let zeros = [Float](repeating: 0, count: min(frames, 4096) * channelCount)
        var rest = frames
        while rest > 0 {
            let count = min(rest, 4096)
            try write(zeros[..<(count * channelCount)])
            rest -= count
        }
    }

    /// Rounded by ourselves: libsndfile rounds towards zero when it clips, and scales by one less when it does not.
    private mutating func writeIntegers(_ samples: ArraySlice<Float>) -> sf_count_t {
        let shift = Int32(32 - format.rawValue)
        let limit = Float(1 << (format.rawValue - 1))
        integers.removeAll(keepingCapacity: true)
        for sample in samples {
            let scaled = (sample * limit).rounded()
            // NaN is no sound: silence.
            let clipped = scaled.isNaN ? 0 : min(max(scaled, -limit), limit - 1)
            integers.append(Int32(clipped) << shift)
        }
        return unsafe integers.withUnsafeBufferPointer { integers in
            unsafe sf_writef_int(file, integers.baseAddress, sf_count_t(integers.count / channelCount))
        }
    }

    private func failure() -> ToolFailure {
        let reason = errno != 0 ? SoundFileError.systemText : unsafe SoundFileError.text(file)
        return ToolFailure(
            "\(target.path) could take no more (\(reason)); what is in it, \(frameCount) frames, can be played.")
    }

    /// Ends the file. Nothing may be written after it.
    ///
    /// - Throws: ``ToolFailure``.
    package consuming func close() throws {
        // Half a frame at the end, if a disk is full, would be no frame.
        var frames = sf_count_t(frameCount)
        unsafe sf_command(file, Int32(SFC_FILE_TRUNCATE), &frames, Int32(MemoryLayout<sf_count_t>.size))
        unsafe sf_command(file, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
        let result = unsafe sf_close(file)
        // Some file systems tell only now that they could not keep what they took.
        guard Glibc.close(target.descriptor) == 0, result == 0 else {
            throw ToolFailure("\(target.path) could not be finished: \(SoundFileError.systemText).")
        }
    }
}
