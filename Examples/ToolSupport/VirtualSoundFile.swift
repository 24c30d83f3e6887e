// SPDX-License-Identifier: MIT
import CSndFile
import Glibc

/// A sound file that libsndfile writes through its virtual I/O, so that the descriptor can be closed and opened again while
/// libsndfile keeps its state.
///
/// - Thread: any, one at a time.
@safe final class VirtualSoundFile {
    /// Precondition: ``begin(in:)`` was called.
    var target: OutputFile {
        get {
            guard let file else { preconditionFailure("the header has no file yet") }
            return file
        }
        set { file = newValue }
    }
    /// `nil` while the header is in memory alone.
    private var file: OutputFile?
    /// The header, until there is a file for it.
    private var header: [UInt8] = []
    /// The place of libsndfile's next write, in bytes from the start.
    private(set) var position = 0
    /// `errno` of the first write that failed since the last call; 0 if none did.
    private var writeError: Int32 = 0
    private var handle: OpaquePointer?
    /// The end of everything that could be written, in bytes from the start.
    private(set) var end = 0
    private let fileFormat: FileFormat
    /// Number of blocks of a FLAC file: the encoder writes each with one call.
    private var blockCount = 0

    /// Number of frames in a block of a FLAC file but the last, as libFLAC chooses it for libsndfile's level of compression.
    private static let blockSize = 4096

    /// Makes the header in memory. ``position`` is then the place of the first frame, and ``begin(in:)`` gives it a file.
    ///
    /// - Throws: ``ToolFailure`` if no file can have such a sound.
    init(
        channelCount: Int, sampleRate: Int, format: SampleFormat, as fileFormat: FileFormat, origin: SoundOrigin?
    ) throws {
        self.fileFormat = fileFormat
        var info = SF_INFO()
        info.samplerate = Int32(clamping: sampleRate)
        info.channels = Int32(clamping: channelCount)
        info.format = Int32(Self.container(of: fileFormat) | Self.encoding(of: format))
        var callbacks = Self.callbacks
        unsafe handle = sf_open_virtual(
            &callbacks, Int32(SFM_WRITE), &info, Unmanaged.passUnretained(self).toOpaque())
        guard unsafe handle != nil else { throw Self.refusal(of: fileFormat, channelCount, sampleRate) }
        // Plain WAV for as long as the file fits in one.
        if fileFormat == .wav,
            unsafe sf_command(handle, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, Int32(SF_TRUE)) != SF_TRUE
        {
            throw ToolFailure("This libsndfile is too old to write WAV files; install a newer one.")
        }
        unsafe origin?.put(into: handle, as: fileFormat)
        // The first header reaches its final length, and the second one contains it.
        guard updateHeader(), updateHeader(), !header.isEmpty else {
            throw Self.refusal(of: fileFormat, channelCount, sampleRate)
        }
        blockCount = 0
    }

    private static func refusal(of format: FileFormat, _ channelCount: Int, _ sampleRate: Int) -> ToolFailure {
        // libsndfile gives no reason.
        ToolFailure(
            "No \(format.name) file can have \(channelCount) channels at \(sampleRate) Hz; choose another format, rate or number of channels."
        )
    }

    /// The header of a file without a frame.
    ///
    /// - Throws: ``ToolFailure`` if no file can have such a sound.
    static func header(
        channelCount: Int, sampleRate: Int, format: SampleFormat, as fileFormat: FileFormat
    ) throws -> [UInt8] {
        let file = try VirtualSoundFile(
            channelCount: channelCount, sampleRate: sampleRate, format: format, as: fileFormat, origin: nil)
        return file.header
    }

    /// Replaces the content of a file by the header, which is there as a whole at any moment.
    ///
    /// - Throws: ``ToolFailure``; the descriptor is still open then.
    func begin(in target: OutputFile) throws {
        guard target.begin(with: header) else { throw target.failure() }
        end = header.count
        header = []
        file = target
    }

    deinit { finish() }

    private static func container(of format: FileFormat) -> Int {
        switch format {
        case .wav, .rf64: SF_FORMAT_RF64
        case .flac: SF_FORMAT_FLAC
        }
    }

    private static func encoding(of format: SampleFormat) -> Int {
        switch format {
        case .int16: SF_FORMAT_PCM_16
        case .int24: SF_FORMAT_PCM_24
        case .float32: SF_FORMAT_FLOAT
        }
    }

    /// Number of frames in the blocks of a FLAC file that could be written. The encoder holds the frames after them.
    var encodedFrameCount: Int { blockCount * Self.blockSize }

    /// The reason of the last call's error.
    var reason: String {
        writeError != 0 ? SoundFileError.text(ofSystemError: writeError) : unsafe SoundFileError.text(handle)
    }

    // MARK: Sound

    /// - Returns: the number of written frames.
    func write(_ samples: ArraySlice<Float>, frames: Int) -> Int {
        writeError = 0
        return unsafe samples.withUnsafeBufferPointer { samples in
            unsafe Int(sf_writef_float(handle, samples.baseAddress, sf_count_t(frames)))
        }
    }

    /// - Parameter samples: full scale is 32 bits, whatever the format of the file.
    /// - Returns: the number of written frames.
    func write(_ samples: [Int32], frames: Int) -> Int {
        writeError = 0
        return unsafe samples.withUnsafeBufferPointer { samples in
            unsafe Int(sf_writef_int(handle, samples.baseAddress, sf_count_t(frames)))
        }
    }

    /// Moves to the place of a frame, which may be after the end.
    ///
    /// - Returns: whether it succeeded.
    func seek(toFrame frame: Int) -> Bool {
        writeError = 0
        return unsafe sf_seek(handle, sf_count_t(frame), Int32(SEEK_SET)) == sf_count_t(frame)
    }

    /// Updates the header to the size of the file. A FLAC file's says the size only when it is finished.
    ///
    /// - Returns: whether it succeeded.
    func updateHeader() -> Bool {
        writeError = 0
        unsafe sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
        return writeError == 0
    }

    /// Ends the sound, of a WAV file at an even place, and frees libsndfile's memory. The descriptor stays open. Idempotent.
    ///
    /// - Returns: whether everything could be written.
    @discardableResult
    func finish() -> Bool {
        writeError = 0
        guard let handle = unsafe handle else { return true }
        unsafe self.handle = nil
        return unsafe sf_close(handle) == 0 && writeError == 0
    }

    // MARK: Callbacks

    private static var callbacks: SF_VIRTUAL_IO {
        unsafe SF_VIRTUAL_IO(
            get_filelen: { unsafe sf_count_t(VirtualSoundFile.from($0).size) },
            seek: { unsafe VirtualSoundFile.from($2).seek(by: $0, from: $1) },
            // A file that is only written is not read.
            read: { _, _, _ in 0 },
            write: { unsafe VirtualSoundFile.from($2).write(UnsafeRawBufferPointer(start: $0, count: Int($1))) },
            tell: { unsafe sf_count_t(VirtualSoundFile.from($0).position) })
    }

    private static func from(_ userData: UnsafeMutableRawPointer?) -> VirtualSoundFile {
        unsafe Unmanaged.fromOpaque(userData!).takeUnretainedValue()
    }

    private var size: Int { file?.size ?? header.count }

    private func seek(by offset: sf_count_t, from origin: Int32) -> sf_count_t {
        switch origin {
        case SEEK_CUR: position += Int(offset)
        case SEEK_END: position = size + Int(offset)
        default: position = Int(offset)
        }
        return sf_count_t(position)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> sf_count_t {
        guard let file else { return unsafe keep(bytes) }
        let count = unsafe file.write(bytes, at: position)
        if count < bytes.count, writeError == 0 { writeError = errno }
        position += count
        guard count == bytes.count else { return sf_count_t(count) }
        end = max(end, position)
        blockCount += 1
        return sf_count_t(count)
    }

    /// Writes to the header in memory.
    private func keep(_ bytes: UnsafeRawBufferPointer) -> sf_count_t {
        let place = position
        position += bytes.count
        if position > header.count { header += [UInt8](repeating: 0, count: position - header.count) }
        unsafe header.replaceSubrange(place..<position, with: bytes)
        return sf_count_t(bytes.count)
    }
}
