// SPDX-License-Identifier: MIT
import CSndFile

/// The format of a sound file: its container, how the samples are encoded, and their byte order.
///
/// The formats are those of the installed libsndfile.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct SoundFormat: Sendable, Hashable, CustomStringConvertible {
    /// The order of the bytes of a sample.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public enum ByteOrder: Sendable, Hashable, CaseIterable {
        /// The usual one of the container.
        case ofContainer
        /// The lowest byte comes first.
        case little
        /// The highest byte comes first.
        case big
    }

    /// The kind of the file.
    public var container: SoundContainer
    /// The form of the samples in it.
    public var encoding: SoundEncoding
    /// The order of the bytes of a sample, if it is not the container's usual one.
    public var byteOrder: ByteOrder

    /// A format. Not every container takes every encoding: ``isWritable`` says which are written.
    public init(_ container: SoundContainer, _ encoding: SoundEncoding, byteOrder: ByteOrder = .ofContainer) {
        self.container = container
        self.encoding = encoding
        self.byteOrder = byteOrder
    }

    /// The format that libsndfile numbers so.
    init(code: Int32) {
        container = SoundContainer(rawValue: code & Int32(SF_FORMAT_TYPEMASK))
        encoding = SoundEncoding(rawValue: code & Int32(SF_FORMAT_SUBMASK))
        switch Int(code) & SF_FORMAT_ENDMASK {
        case SF_ENDIAN_LITTLE: byteOrder = .little
        case SF_ENDIAN_BIG: byteOrder = .big
        case SF_ENDIAN_CPU: byteOrder = Int(littleEndian: 1) == 1 ? .little : .big
        default: byteOrder = .ofContainer
        }
    }

    /// libsndfile's number of the format.
    var code: Int32 {
        let order =
            switch byteOrder {
            case .ofContainer: SF_ENDIAN_FILE
            case .little: SF_ENDIAN_LITTLE
            case .big: SF_ENDIAN_BIG
            }
        return container.rawValue & Int32(SF_FORMAT_TYPEMASK) | encoding.rawValue & Int32(SF_FORMAT_SUBMASK)
            | Int32(order)
    }

    /// Whether samples that were read from such a file are the same after they were written to another one, bit for bit.
    ///
    /// That holds for formats that only round, such as 16-bit integers, μ-law and FLAC, and not for those that leave out what is hardly
    /// heard, such as Vorbis.
    public var isLossless: Bool { encoding.isLossless }

    /// Whether files of this format are written, with one channel at least.
    public var isWritable: Bool { [48_000, 8_000].contains { holds(channelCount: 1, sampleRate: $0) } }

    /// Whether a file of this format can have a number of channels and a sample rate, in hertz.
    public func holds(channelCount: Int, sampleRate: Int) -> Bool {
        guard SoundInput.channelCounts.contains(channelCount), SoundInput.sampleRates.contains(sampleRate), isKept,
            container.holds(channelCount: channelCount), container.holds(sampleRate: sampleRate)
        else { return false }
        var info = SF_INFO()
        info.channels = Int32(channelCount)
        info.samplerate = Int32(sampleRate)
        info.format = code
        return unsafe sf_format_check(&info) != 0
    }

    /// Whether libsndfile writes all frames of such a sound, and no others. It says of more formats that it writes them.
    private var isKept: Bool {
        switch (container, encoding) {
        // One has a second file, the other no header.
        case (.soundDesigner2, _), (.raw, _): false
        // Their frames are written in blocks, the last of which is lost or filled up.
        case (.sds, _), (.paf, .int24): false
        // The end's mark is counted as a frame.
        case (.voc, .muLaw), (.voc, .aLaw): false
        // All of the file is kept in a second one with a name until the end, which a crash would leave behind; and samples change.
        case (_, .alac16), (_, .alac20), (_, .alac24), (_, .alac32): false
        // Nothing is written.
        case (_, .dwvw12), (_, .mpegLayer1), (_, .mpegLayer2): false
        default: true
        }
    }

    public var description: String {
        switch byteOrder {
        case .ofContainer: "\(container), \(encoding)"
        case .little: "\(container), \(encoding), little-endian"
        case .big: "\(container), \(encoding), big-endian"
        }
    }
}
