// SPDX-License-Identifier: MIT
import CSndFile

/// The form of the samples in a sound file. Those that a newer libsndfile knows have no name here, and can be read all the same.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct SoundEncoding: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// libsndfile's number of the encoding.
    public let rawValue: Int32

    /// The encoding that libsndfile numbers so.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    private init(_ number: Int) { rawValue = Int32(number) }

    /// Signed integers of 8 bits.
    public static let int8 = SoundEncoding(SF_FORMAT_PCM_S8)
    /// Integers of 8 bits whose silence is 128.
    public static let uint8 = SoundEncoding(SF_FORMAT_PCM_U8)
    /// Integers of 16 bits.
    public static let int16 = SoundEncoding(SF_FORMAT_PCM_16)
    /// Integers of 24 bits.
    public static let int24 = SoundEncoding(SF_FORMAT_PCM_24)
    /// Integers of 32 bits.
    public static let int32 = SoundEncoding(SF_FORMAT_PCM_32)
    /// Floating-point numbers of 32 bits.
    public static let float32 = SoundEncoding(SF_FORMAT_FLOAT)
    /// Floating-point numbers of 64 bits.
    public static let float64 = SoundEncoding(SF_FORMAT_DOUBLE)
    /// μ-law (ITU-T G.711).
    public static let muLaw = SoundEncoding(SF_FORMAT_ULAW)
    /// A-law (ITU-T G.711).
    public static let aLaw = SoundEncoding(SF_FORMAT_ALAW)
    /// Differences of 8 bits.
    public static let difference8 = SoundEncoding(SF_FORMAT_DPCM_8)
    /// Differences of 16 bits.
    public static let difference16 = SoundEncoding(SF_FORMAT_DPCM_16)
    /// Words of variable width for differences, of samples of 12 bits.
    public static let dwvw12 = SoundEncoding(SF_FORMAT_DWVW_12)
    /// Words of variable width for differences, of samples of 16 bits.
    public static let dwvw16 = SoundEncoding(SF_FORMAT_DWVW_16)
    /// Words of variable width for differences, of samples of 24 bits.
    public static let dwvw24 = SoundEncoding(SF_FORMAT_DWVW_24)
    /// Apple Lossless, of samples of 16 bits.
    public static let alac16 = SoundEncoding(SF_FORMAT_ALAC_16)
    /// Apple Lossless, of samples of 20 bits.
    public static let alac20 = SoundEncoding(SF_FORMAT_ALAC_20)
    /// Apple Lossless, of samples of 24 bits.
    public static let alac24 = SoundEncoding(SF_FORMAT_ALAC_24)
    /// Apple Lossless, of samples of 32 bits.
    public static let alac32 = SoundEncoding(SF_FORMAT_ALAC_32)
    /// Vorbis.
    public static let vorbis = SoundEncoding(SF_FORMAT_VORBIS)
    /// Opus.
    public static let opus = SoundEncoding(SF_FORMAT_OPUS)
    /// MPEG layer I.
    public static let mpegLayer1 = SoundEncoding(SF_FORMAT_MPEG_LAYER_I)
    /// MPEG layer II.
    public static let mpegLayer2 = SoundEncoding(SF_FORMAT_MPEG_LAYER_II)
    /// MPEG layer III, which is MP3.
    public static let mpegLayer3 = SoundEncoding(SF_FORMAT_MPEG_LAYER_III)

    /// How a decoder gives the samples, so that nothing of them is lost.
    enum Numbers: Sendable { case integers, floats, doubles }

    var numbers: Numbers {
        switch self {
        case .float64: .doubles
        case .float32, .vorbis, .opus, .mpegLayer1, .mpegLayer2, .mpegLayer3: .floats
        default: .integers
        }
    }

    /// The bits of a sample of an encoding that holds integers. Adaptive encodings have those of their decoders: 16.
    var bitCount: Int {
        switch self {
        case .int8, .uint8, .difference8: 8
        case .dwvw12: 12
        // libsndfile looks at 14 bits of a sample (ITU-T G.711), and cuts off the rest.
        case .muLaw: 14
        case .alac20: 20
        case .int24, .dwvw24, .alac24: 24
        case .int32, .alac32: 32
        default: 16
        }
    }

    var isLossless: Bool {
        switch self {
        case .int8, .uint8, .int16, .int24, .int32, .float32, .float64, .muLaw, .aLaw, .difference8, .difference16,
            .dwvw12, .dwvw16, .dwvw24, .alac16, .alac20, .alac24, .alac32:
            true
        default: false
        }
    }

    /// Whether full scale is the largest amplitude: whether what is beyond is clipped.
    var isBounded: Bool { self != .float32 && self != .float64 }

    /// The bytes of a sample, of encodings that take the same for each.
    var byteCount: Int? {
        switch self {
        case .int8, .uint8, .muLaw, .aLaw: 1
        case .int16: 2
        case .int24: 3
        case .int32, .float32: 4
        case .float64: 8
        default: nil
        }
    }

    public var description: String { Self.name(rawValue) }

    /// libsndfile's name for a container or an encoding.
    static func name(_ code: Int32) -> String {
        var info = unsafe SF_FORMAT_INFO()
        unsafe info.format = code
        guard unsafe sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &info, Int32(MemoryLayout<SF_FORMAT_INFO>.size)) == 0,
            let name = unsafe info.name
        else { return "format 0x" + String(code, radix: 16) }
        return unsafe String(cString: name)
    }
}
