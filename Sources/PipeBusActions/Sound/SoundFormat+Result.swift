// SPDX-License-Identifier: MIT

extension SoundFormat {
    /// The format for the result of an action on a sound of this format.
    ///
    /// | this format | the result's |
    /// | --- | --- |
    /// | lossless and ``isWritable`` | this format |
    /// | Apple Lossless | the container's integers of as many bits, or the next larger ones |
    /// | any other, of at most 24 bits | WAV, 32-bit floating point |
    /// | any other | WAV, 64-bit floating point |
    ///
    /// A result that may become larger than 4 GiB is an RF64 file in place of a WAV file: ``SoundInput/resultFormat``.
    public var resultFormat: SoundFormat {
        switch encoding {
        case .alac16: return SoundFormat(container, .int16, byteOrder: byteOrder)
        case .alac20, .alac24: return SoundFormat(container, .int24, byteOrder: byteOrder)
        case .alac32: return SoundFormat(container, .int32, byteOrder: byteOrder)
        default: break
        }
        return isLossless && isWritable ? self : floatFormat
    }

    /// The WAV format that takes all samples of this format as they are.
    var floatFormat: SoundFormat {
        // A MIDI sample dump has 7 bits in a byte, and all 28 of four bytes are read.
        let isWide =
            encoding.numbers == .doubles || encoding.numbers == .integers && encoding.bitCount > 24
            || container == .sds && encoding == .int24
        return SoundFormat(.wav, isWide ? .float64 : .float32)
    }
}

extension SoundContainer {
    /// The largest number of bytes of sound in a file, by the width of the sizes in its header; `nil` for 64 bits and for headers without
    /// a size. Some of them are signed in libsndfile. 64 KiB are left for the header.
    var largestByteCount: Int? {
        switch self {
        case .wav, .wavex: 0xFFFF_FFFF - 0x1_0000
        case .voc: 0xFF_FFFF - 64
        case .sds: 0x1F_FFFF
        case .aiff, .svx, .avr, .mat4, .mat5, .mpc2k, .wve, .xi, .htk, .nist, .au, .paf: 0x7FFF_FFFF - 0x1_0000
        default: nil
        }
    }

    /// What libsndfile does not check when it is asked about a format.
    func holds(channelCount: Int) -> Bool {
        switch self {
        case .flac: channelCount <= 8
        case .svx, .wve, .xi, .htk, .sds: channelCount == 1
        case .voc, .avr, .mpc2k: channelCount <= 2
        default: true
        }
    }

    /// What libsndfile does not check when it is asked about a format.
    func holds(sampleRate: Int) -> Bool {
        switch self {
        // RFC 9639, "Uncommon Sample Rate".
        case .flac: sampleRate <= 65_535 || sampleRate <= 655_350 && sampleRate.isMultiple(of: 10)
        case .wve: sampleRate == 8_000
        case .svx, .mpc2k: sampleRate <= 65_535
        // libsndfile loses a frame of a file whose header is shorter than 12 bytes.
        case .pvf: sampleRate >= 10
        default: true
        }
    }
}
