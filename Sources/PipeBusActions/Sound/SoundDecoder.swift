// SPDX-License-Identifier: MIT
import CSndFile
import Glibc
import Synchronization

/// A sound file that libsndfile has open for reading.
///
/// - Thread: any that may wait for the disk, one at a time.
@safe final class SoundDecoder {
    /// What the header says, within the bounds of ``SoundInput``, but for `frames`: any number that is not negative.
    let info: SF_INFO
    let format: SoundFormat
    private let source: SoundSource
    private let handle: OpaquePointer
    private var isAtEnd = false
    /// What was decoded of a compressed file and not read yet.
    private var rest = SoundSamples.integers([])

    /// libsndfile keeps the reason why it opened no file in one place for all threads.
    private static let opening = Mutex(())
    /// The largest number of calls of libsndfile in which it must have opened a file, gone to a place, or read a block. A MIDI sample
    /// dump is read as a whole when it is opened, and needs the most: one for each 40 frames.
    private static let largestNumberOfCalls = 1 << 20

    /// Reads the header.
    ///
    /// - Throws: ``SoundError``.
    init(_ source: SoundSource) throws {
        try MIDIDump.check(source)
        source.rewind()
        source.allow(calls: Self.largestNumberOfCalls)
        var info = SF_INFO()
        let (address, reason) = Self.opening.withLock { _ in
            var callbacks = source.callbacks
            let handle = unsafe sf_open_virtual(
                &callbacks, Int32(SFM_READ), &info, Unmanaged.passUnretained(source).toOpaque())
            let reason = unsafe handle == nil ? String(cString: sf_strerror(nil)) : ""
            return (UInt(bitPattern: handle), reason)
        }
        source.endHeader()
        guard let handle = unsafe OpaquePointer(bitPattern: address) else {
            try source.check()
            throw Self.refusal(of: source.name, reason)
        }
        unsafe self.handle = handle
        self.info = info
        self.source = source
        format = SoundFormat(code: info.format)
        try source.check()
        guard format.container != .soundDesigner2, format.container != .raw else {
            throw Self.refusal(of: source.name, "no header")
        }
        guard SoundInput.channelCounts.contains(Int(info.channels)) else {
            throw SoundError(
                .unknownFormat,
                "\(source.name) says that it has \(info.channels) channels, and 1 to \(SoundInput.channelCounts.upperBound) can be read; use another copy of it."
            )
        }
        guard SoundInput.sampleRates.contains(Int(info.samplerate)), info.frames >= 0 else {
            throw SoundError(
                .unknownFormat,
                "\(source.name) says that its sample rate is \(info.samplerate) Hz, which no sound has; use another copy of it."
            )
        }
    }

    deinit { unsafe sf_close(handle) }

    private static func refusal(of name: String, _ reason: String) -> SoundError {
        var reason = reason
        while reason.last == "." || reason.last == "\n" { reason.removeLast() }
        return SoundError(
            .unknownFormat,
            "\(name) is no sound file that can be read (\(reason)): raw sound and Sound Designer II files cannot, as they have no header; save it as WAV."
        )
    }

    /// Whether all frames have one size, so that each place can be gone to, and the file's size says how many there are.
    var hasFixedFrames: Bool {
        guard format.encoding.byteCount != nil else { return false }
        switch format.container {
        case .wav, .wavex, .rf64, .w64, .aiff, .au, .caf, .nist, .voc, .ircam, .svx, .pvf, .htk, .avr, .mat4, .mat5,
            .mpc2k, .wve:
            return true
        // Its frames of 24 bits are in blocks.
        case .paf: return format.encoding != .int24
        default: return false
        }
    }

    /// Reads the next frames.
    ///
    /// Of a compressed file all that libsndfile gives at once is kept for the next reads, and it is always asked for as much: at the end of a
    /// damaged file some decoders give another number of frames otherwise.
    ///
    /// - Parameter frameCount: the largest number, 1 or more.
    /// - Returns: none at the end of the sound, or where a damaged file ends.
    /// - Throws: ``SoundError`` if the disk fails, or if another process has changed the file.
    func read(upTo frameCount: Int) throws -> SoundSamples {
        guard !hasFixedFrames else { return try decode(frameCount) }
        if rest.count == 0, !isAtEnd {
            rest = try decode(min(SoundInput.largestBlock(channelCount: Int(info.channels)), 1 << 13))
            // Some decoders go on after an end, with what is left in their memory.
            isAtEnd = rest.count == 0
        }
        try source.check()
        return rest.removeFirst(frameCount * Int(info.channels))
    }

    private func decode(_ frameCount: Int) throws -> SoundSamples {
        let channelCount = Int(info.channels)
        let (length, frames) = (frameCount * channelCount, sf_count_t(frameCount))
        source.allow(calls: Self.largestNumberOfCalls)
        func count(_ read: sf_count_t) -> Int { min(max(Int(read), 0), frameCount) * channelCount }
        let samples: SoundSamples
        switch format.encoding.numbers {
        case .integers:
            samples = .integers(
                ArraySlice(
                    unsafe [Int32](unsafeUninitializedCapacity: length) { buffer, initialized in
                        unsafe initialized = count(sf_readf_int(handle, buffer.baseAddress!, frames))
                        // A frame of a damaged FLAC file may have wider samples than its header says, and a result has not.
                        guard format.container == .flac else { return }
                        let mask = Int32.min >> Int32(format.encoding.bitCount - 1)
                        for index in 0..<initialized { unsafe buffer[index] &= mask }
                    }))
        case .floats:
            samples = .floats(
                ArraySlice(
                    unsafe [Float](unsafeUninitializedCapacity: length) { buffer, initialized in
                        unsafe initialized = count(sf_readf_float(handle, buffer.baseAddress!, frames))
                    }))
        case .doubles:
            samples = .doubles(
                ArraySlice(
                    unsafe [Double](unsafeUninitializedCapacity: length) { buffer, initialized in
                        unsafe initialized = count(sf_readf_double(handle, buffer.baseAddress!, frames))
                    }))
        }
        try source.check()
        return samples
    }

    /// Goes to a frame of a file with ``hasFixedFrames``.
    ///
    /// - Throws: ``SoundError``.
    func seek(to frame: Int) throws {
        source.allow(calls: Self.largestNumberOfCalls)
        guard unsafe sf_seek(handle, sf_count_t(frame), SEEK_SET) == frame else {
            try source.check()
            throw SoundError(
                .unreadable, "\(source.name) cannot be read from its frame \(frame) on; use another copy of it.")
        }
    }

    /// The number of frames that are in a file with ``hasFixedFrames``, whatever its header claims. The next frame is the first one
    /// afterwards.
    ///
    /// - Throws: ``SoundError``.
    func countFrames() throws -> Int {
        // A frame takes a byte at least. All before `lower` are there, and none from `upper` on.
        var (lower, upper) = (0, min(Int(info.frames), source.size))
        // Nearly every header is right.
        if upper > 0, try hasFrame(upper - 1) { lower = upper }
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if try hasFrame(middle) { lower = middle + 1 } else { upper = middle }
        }
        if lower > 0 { try seek(to: 0) }
        return lower
    }

    private func hasFrame(_ frame: Int) throws -> Bool {
        source.allow(calls: Self.largestNumberOfCalls)
        guard unsafe sf_seek(handle, sf_count_t(frame), SEEK_SET) == frame else {
            try source.check()
            return false
        }
        return try decode(1).count > 0
    }
}

extension SoundDecoder {
    var metadata: SoundMetadata { unsafe SoundMetadata(of: handle, channelCount: Int(info.channels)) }
}
