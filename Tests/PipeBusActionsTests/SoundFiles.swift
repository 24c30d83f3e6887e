// SPDX-License-Identifier: MIT
import CSndFile
import Foundation
import SeededRandom

@testable import PipeBusActions

/// Sound files that libsndfile writes and reads by itself, without the code that is tested.
enum SoundFiles {
    /// All formats that this libsndfile says it can write, with each byte order, for mono, stereo or five channels.
    static func formats() -> [SoundFormat] {
        func list(_ countCommand: Int, _ command: Int) -> [Int32] {
            var count: Int32 = 0
            unsafe sf_command(nil, Int32(countCommand), &count, 4)
            return (0..<count).map { number in
                var info = unsafe SF_FORMAT_INFO()
                unsafe info.format = number
                unsafe sf_command(nil, Int32(command), &info, Int32(MemoryLayout<SF_FORMAT_INFO>.size))
                return unsafe info.format
            }
        }
        let majors = list(SFC_GET_FORMAT_MAJOR_COUNT, SFC_GET_FORMAT_MAJOR)
        let subtypes = list(SFC_GET_FORMAT_SUBTYPE_COUNT, SFC_GET_FORMAT_SUBTYPE)
        let left = [Int32(SF_FORMAT_RAW), Int32(SF_FORMAT_SD2)]
        return majors.filter { !left.contains($0) }.flatMap { major in
            subtypes.flatMap { subtype in
                [0, SF_ENDIAN_LITTLE, SF_ENDIAN_BIG].map { SoundFormat(code: major | subtype | Int32($0)) }
            }
        }.filter { format in [1, 2].contains { check(format, channelCount: $0) } }
    }

    static func rate(_ format: SoundFormat) -> Int32 {
        format.container == .wve || format.container == .mpeg ? 8_000 : format.container == .ogg ? 48_000 : 44_100
    }

    static func check(_ format: SoundFormat, channelCount: Int) -> Bool {
        var info = SF_INFO()
        info.channels = Int32(channelCount)
        info.samplerate = rate(format)
        info.format = format.code
        return unsafe sf_format_check(&info) != 0
    }

    /// Writes samples; `nil` if libsndfile does not write such a file after all.
    static func write(_ samples: Samples, _ format: SoundFormat, channelCount: Int) -> MemoryFile? {
        let file = MemoryFile()
        var info = SF_INFO()
        info.channels = Int32(channelCount)
        info.samplerate = rate(format)
        info.format = format.code
        guard let handle = unsafe sf_open_fd(file.descriptor, Int32(SFM_WRITE), &info, 0) else { return nil }
        defer { unsafe sf_close(handle) }
        let frames = sf_count_t(samples.count / channelCount)
        let written =
            switch samples {
            case .integers(let samples): unsafe sf_writef_int(handle, samples, frames)
            case .floats(let samples): unsafe sf_writef_float(handle, samples, frames)
            case .doubles(let samples): unsafe sf_writef_double(handle, samples, frames)
            }
        return written == frames ? file : nil
    }

    enum Samples {
        case integers([Int32]), floats([Float]), doubles([Double])

        var count: Int {
            switch self {
            case .integers(let samples): samples.count
            case .floats(let samples): samples.count
            case .doubles(let samples): samples.count
            }
        }
    }

    /// Random samples over all of the range that an encoding has, with the extremes, and for floating point with what is no number.
    static func samples(_ count: Int, for format: SoundFormat, _ random: inout SeededGenerator) -> Samples {
        switch format.encoding {
        case .float64:
            let special = [
                .nan, -.infinity, .infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1,
                Double(bitPattern: 0x7FF0_0000_0000_0001), Double(bitPattern: 0xFFF8_0000_1234_5678),
            ]
            return .doubles(
                (0..<count).map {
                    $0 % 11 == 5 ? special.randomElement(using: &random)! : Double(bitPattern: random.next())
                })
        case .float32:
            let special: [Float] = [
                .nan, -.infinity, .infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1,
                Float(bitPattern: 0x7F80_0001), Float(bitPattern: 0xFFC0_1234),
            ]
            return .floats(
                (0..<count).map {
                    $0 % 11 == 5
                        ? special.randomElement(using: &random)!
                        : Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
                })
        case .vorbis, .opus, .mpegLayer3:
            return .floats((0..<count).map { _ in .random(in: -0.9...0.9, using: &random) })
        default:
            let special: [Int32] = [.min, .max, 0, -1, 1, 1 << 16, -(1 << 16), .min + 1]
            return .integers(
                (0..<count).map {
                    $0 % 7 == 3
                        ? special.randomElement(using: &random)! : Int32(truncatingIfNeeded: random.next())
                })
        }
    }

    /// Decodes a file from its beginning to its end at once, as the tested code does not.
    static func decode(_ file: MemoryFile) -> [Double]? {
        lseek(file.descriptor, 0, SEEK_SET)
        var info = SF_INFO()
        guard let handle = unsafe sf_open_fd(file.descriptor, Int32(SFM_READ), &info, 0) else { return nil }
        defer { unsafe sf_close(handle) }
        let format = SoundFormat(code: info.format)
        let frames = min(Int(info.frames), 1 << 20)
        guard frames > 0 else { return [] }
        let length = frames * Int(info.channels)
        switch format.encoding {
        case .float64:
            var samples = [Double](repeating: 0, count: length)
            let count = unsafe sf_readf_double(handle, &samples, sf_count_t(frames))
            return Array(samples.prefix(Int(count) * Int(info.channels)))
        case .float32, .vorbis, .opus, .mpegLayer3:
            var samples = [Float](repeating: 0, count: length)
            let count = unsafe sf_readf_float(handle, &samples, sf_count_t(frames))
            return samples.prefix(Int(count) * Int(info.channels)).map(wide)
        default:
            var samples = [Int32](repeating: 0, count: length)
            let count = unsafe sf_readf_int(handle, &samples, sf_count_t(frames))
            return samples.prefix(Int(count) * Int(info.channels)).map { Double($0) / 2_147_483_648 }
        }
    }

    /// With the same bits where it is a NaN: of the 23 of its payload the conversion sets the first.
    private static func wide(_ sample: Float) -> Double {
        let wide = Double(sample)
        return sample.isSignalingNaN ? Double(bitPattern: wide.bitPattern ^ 1 << 51) : wide
    }
}
