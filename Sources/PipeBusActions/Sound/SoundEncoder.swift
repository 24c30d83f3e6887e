// SPDX-License-Identifier: MIT
import CSndFile
import Glibc
import Synchronization

/// A sound file that libsndfile has open for writing.
///
/// - Thread: any that may wait for the disk, one at a time.
@safe final class SoundEncoder {
    private let sink: SoundSink
    private let format: SoundFormat
    private let channelCount: Int
    private var handle: OpaquePointer?
    private var hasMetadata = false
    private var frameCount = 0
    /// The number of samples beyond full scale, in a format that ends there.
    private(set) var clippedSampleCount = 0

    /// Libraries under libsndfile set up their tables when the first file is opened.
    private static let opening = Mutex(())
    /// libvorbis makes room on the stack for what it gets at once.
    private static let largestSampleCount = 1 << 12

    /// Writes a header.
    ///
    /// - Parameter format: one that holds such a sound.
    /// - Throws: ``SoundError``.
    init(_ sink: SoundSink, format: SoundFormat, channelCount: Int, sampleRate: Int) throws {
        self.sink = sink
        self.format = format
        self.channelCount = channelCount
        var info = SF_INFO()
        info.channels = Int32(clamping: channelCount)
        info.samplerate = Int32(clamping: sampleRate)
        info.format = format.code
        let address = Self.opening.withLock { _ in
            var callbacks = sink.callbacks
            return unsafe UInt(
                bitPattern: sf_open_virtual(
                    &callbacks, Int32(SFM_WRITE), &info, Unmanaged.passUnretained(sink).toOpaque()))
        }
        unsafe handle = OpaquePointer(bitPattern: address)
        try sink.check()
        guard let handle = unsafe handle else {
            throw SoundError(
                .notRepresentable,
                "\(sink.name) cannot have \(channelCount) channels at \(sampleRate) Hz in the format \(format); use WAV."
            )
        }
        // The chunk has the time of day, and would make each result another file.
        unsafe sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
        // Plain WAV for as long as the file fits in one.
        if format.container == .rf64 {
            unsafe sf_command(handle, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, Int32(SF_TRUE))
        }
    }

    deinit { close() }

    /// Gives the file what it says beside its sound. Only the first call has an effect, and none after ``write(_:)``.
    ///
    /// - Throws: ``SoundError``.
    func put(_ metadata: SoundMetadata) throws {
        guard !hasMetadata, let handle = unsafe handle else { return }
        hasMetadata = true
        unsafe metadata.put(into: handle, channelCount: channelCount)
        // Without that chunk the header is shorter than the one that is in the file, and its rest would be taken for sound.
        guard format.encoding == .float32 || format.encoding == .float64 else { return }
        unsafe sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
        try sink.truncateAtPosition()
    }

    /// Adds interleaved samples of whole frames.
    ///
    /// - Throws: ``SoundError``.
    func write(_ samples: [Double]) throws {
        guard let handle = unsafe handle else { throw SystemErrors.writing(sink.name, EBADF) }
        let step = max(Self.largestSampleCount / channelCount, 1) * channelCount
        for start in stride(from: 0, to: samples.count, by: step) {
            let part = samples[start..<min(start + step, samples.count)]
            let frames = part.count / channelCount
            let written = unsafe write(part, frames: sf_count_t(frames), to: handle)
            try sink.check()
            guard written == frames else { throw SystemErrors.writing(sink.name, EIO) }
            frameCount += frames
            if format.encoding.isBounded { clippedSampleCount += part.count { abs($0) > 1 } }
        }
    }

    private func write(_ samples: ArraySlice<Double>, frames: sf_count_t, to handle: OpaquePointer) -> Int {
        switch format.encoding.numbers {
        case .doubles:
            unsafe samples.withUnsafeBufferPointer { unsafe Int(sf_writef_double(handle, $0.baseAddress, frames)) }
        case .floats where format.encoding == .float32:
            unsafe Int(sf_writef_float(handle, samples.map(SoundSamples.float), frames))
        case .floats:
            // Encoders of what is heard are not made for anything else.
            unsafe Int(
                sf_writef_float(handle, samples.map { $0.isNaN ? 0 : Float(min(max($0, -1), 1)) }, frames))
        case .integers:
            unsafe Int(
                sf_writef_int(
                    handle, samples.map { SoundSamples.integer($0, bits: format.encoding.bitCount) }, frames))
        }
    }

    /// Ends the sound, and writes the header for its length.
    ///
    /// - Throws: ``SoundError``.
    func finish() throws {
        guard let handle = unsafe handle else { return }
        // It is begun with the first frame otherwise, and would be empty without one.
        if format.container == .flac, frameCount == 0 {
            unsafe sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
        }
        let isWhole = close()
        try sink.check()
        guard isWhole else { throw SystemErrors.writing(sink.name, EIO) }
        if format.container == .aiff, let size = format.encoding.byteCount {
            try AIFFPadding.correct(sink, frameCount: frameCount, byteCount: frameCount * channelCount * size)
        }
        try sink.synchronize()
    }

    @discardableResult
    private func close() -> Bool {
        guard let handle = unsafe handle else { return true }
        unsafe self.handle = nil
        return unsafe sf_close(handle) == 0
    }
}
