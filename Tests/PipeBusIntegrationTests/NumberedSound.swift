// SPDX-License-Identifier: MIT
import Glibc
import SeededRandom

/// Sound of up to three sources, of which each sample says which sources are in it, also in a mix, and which frame it is.
///
/// A sample is a number of 24 bits, 8 of them for each source: 0 where the source is silent, otherwise one of 255 numbers at
/// random. They repeat after a prime number of frames, which is no multiple of any cycle or block. C compares them, because
/// Swift without optimisation is slow.
@safe struct NumberedSound: Sendable {
    static let period = 65_521
    static let sourceCount = 3
    static let longestBlock = 16_384
    /// Interleaved stereo frames, and each channel by itself.
    static let stereo = NumberedSound(channels: [0, 1])
    static let channels = [NumberedSound(channels: [0]), NumberedSound(channels: [1])]

    /// Number of samples of a frame.
    let width: Int
    /// A table for each set of sources; a bit of its index is a source.
    private let tables: [[Float]]

    private init(channels: [Int]) {
        width = channels.count
        let numbers = (0..<Self.sourceCount).map { source in
            var generator = SeededGenerator(seed: UInt64(source))
            return (0..<Self.period).map { _ in Float((generator.next() % 255 + 1) << (8 * UInt64(source))) }
        }
        tables = (0..<(1 << Self.sourceCount)).map { set in
            var table = [Float](repeating: 0, count: (Self.period + Self.longestBlock) * channels.count)
            for source in 0..<Self.sourceCount where set >> source & 1 == 1 {
                for frame in 0..<(Self.period + Self.longestBlock) {
                    for (index, channel) in channels.enumerated() {
                        table[frame * channels.count + index] += numbers[source][(frame + 1009 * channel) % Self.period]
                    }
                }
            }
            return table
        }
    }

    /// The place of a frame in the tables.
    private static func place(of frame: Int64) -> Int { Int((frame % Int64(period) + Int64(period)) % Int64(period)) }

    /// The samples of one source from a frame on, up to ``longestBlock`` frames.
    func samples(of source: Int, from frame: Int64, count: Int) -> ArraySlice<Float> {
        let start = Self.place(of: frame) * width
        return tables[1 << source][start..<(start + count * width)]
    }

    /// Fills samples with those of one source from a frame on.
    func fill(_ samples: inout MutableSpan<Float>, of source: Int, from frame: Int64) {
        precondition(samples.count <= Self.longestBlock * width)
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            unsafe tables[1 << source].withUnsafeBufferPointer { table in
                guard let place = samples.baseAddress, let base = table.baseAddress else { return }
                unsafe memcpy(place, base + Self.place(of: frame) * width, 4 * samples.count)
            }
        }
    }

    /// The sources in a sample; `nil` if it is no sample of this sound.
    static func sources(in sample: Float) -> Int? {
        guard sample >= 0, sample < Float(1 << (8 * sourceCount)), sample == sample.rounded() else { return nil }
        let number = Int(sample)
        var set = 0
        for source in 0..<sourceCount where number >> (8 * source) & 255 != 0 { set |= 1 << source }
        return set
    }

    /// Number of frames at the beginning of samples that are those of a set of sources from a frame on.
    func matchingFrames(of set: Int, in samples: ArraySlice<Float>, from frame: Int64) -> Int {
        unsafe samples.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return 0 }
            return unsafe matchingFrames(of: set, in: base, count: samples.count / width, from: frame)
        }
    }

    /// Number of frames at the beginning of samples that are those of a set of sources from a frame on.
    func matchingFrames(of set: Int, in samples: UnsafePointer<Float>, count: Int, from frame: Int64) -> Int {
        precondition(count <= Self.longestBlock)
        return unsafe tables[set].withUnsafeBufferPointer { table in
            guard let base = table.baseAddress else { return 0 }
            let wanted = unsafe base + Self.place(of: frame) * width
            if unsafe memcmp(samples, wanted, 4 * count * width) == 0 { return count }
            var (least, most) = (0, count)
            while most - least > 1 {
                let middle = (least + most) / 2
                if unsafe memcmp(samples + least * width, wanted + least * width, 4 * (middle - least) * width) == 0 {
                    least = middle
                } else {
                    most = middle
                }
            }
            return unsafe memcmp(samples + least * width, wanted + least * width, 4 * width) == 0 ? least + 1 : least
        }
    }
}
