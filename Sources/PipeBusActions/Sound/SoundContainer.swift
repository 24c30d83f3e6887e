// SPDX-License-Identifier: MIT
import CSndFile

/// The kind of a sound file. Those that a newer libsndfile knows have no name here, and can be read all the same.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct SoundContainer: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// libsndfile's number of the kind.
    public let rawValue: Int32

    /// The kind that libsndfile numbers so.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    private init(_ number: Int) { rawValue = Int32(number) }

    /// WAV, up to 4 GiB.
    public static let wav = SoundContainer(SF_FORMAT_WAV)
    /// WAV that says where the channels are played (WAVEFORMATEXTENSIBLE), up to 4 GiB.
    public static let wavex = SoundContainer(SF_FORMAT_WAVEX)
    /// WAV whose sizes have 64 bits (EBU Tech 3306).
    public static let rf64 = SoundContainer(SF_FORMAT_RF64)
    /// Wave64, whose sizes have 64 bits.
    public static let w64 = SoundContainer(SF_FORMAT_W64)
    /// AIFF and AIFF-C.
    public static let aiff = SoundContainer(SF_FORMAT_AIFF)
    /// AU.
    public static let au = SoundContainer(SF_FORMAT_AU)
    /// Core Audio Format.
    public static let caf = SoundContainer(SF_FORMAT_CAF)
    /// FLAC.
    public static let flac = SoundContainer(SF_FORMAT_FLAC)
    /// Ogg, with Vorbis or Opus.
    public static let ogg = SoundContainer(SF_FORMAT_OGG)
    /// A stream of MPEG audio, such as MP3.
    public static let mpeg = SoundContainer(SF_FORMAT_MPEG)
    /// NIST Sphere.
    public static let nist = SoundContainer(SF_FORMAT_NIST)
    /// Creative Voice.
    public static let voc = SoundContainer(SF_FORMAT_VOC)
    /// IRCAM.
    public static let ircam = SoundContainer(SF_FORMAT_IRCAM)
    /// Amiga IFF, 8SVX and 16SV.
    public static let svx = SoundContainer(SF_FORMAT_SVX)
    /// Ensoniq PARIS.
    public static let paf = SoundContainer(SF_FORMAT_PAF)
    /// Portable Voice Format.
    public static let pvf = SoundContainer(SF_FORMAT_PVF)
    /// FastTracker 2 instrument.
    public static let xi = SoundContainer(SF_FORMAT_XI)
    /// HMM Tool Kit.
    public static let htk = SoundContainer(SF_FORMAT_HTK)
    /// MIDI Sample Dump Standard.
    public static let sds = SoundContainer(SF_FORMAT_SDS)
    /// Audio Visual Research.
    public static let avr = SoundContainer(SF_FORMAT_AVR)
    /// GNU Octave 2.0 and MATLAB 4.2.
    public static let mat4 = SoundContainer(SF_FORMAT_MAT4)
    /// GNU Octave 2.1 and MATLAB 5.0.
    public static let mat5 = SoundContainer(SF_FORMAT_MAT5)
    /// Akai MPC 2000.
    public static let mpc2k = SoundContainer(SF_FORMAT_MPC2K)
    /// Psion Series 3.
    public static let wve = SoundContainer(SF_FORMAT_WVE)
    /// Sound Designer II. Its sound has no header in the same file, so it is neither read nor written.
    static let soundDesigner2 = SoundContainer(SF_FORMAT_SD2)
    static let raw = SoundContainer(SF_FORMAT_RAW)

    public var description: String { SoundEncoding.name(rawValue) }
}
