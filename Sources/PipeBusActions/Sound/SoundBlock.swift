// SPDX-License-Identifier: MIT

/// Some frames of a sound, with all its channels.
///
/// Full scale is -1…1. A floating-point file may hold more, and NaN or infinities, which are here as they are there. Samples of
/// integers are exact: the largest one of 16 bits is 32767/32768.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct SoundBlock: Sendable, Hashable {
    /// The samples of the first frame, in the order of the channels, then those of the second one, and so on.
    ///
    /// Their number is a multiple of ``channelCount``: a block with a part of a frame cannot be written.
    public var samples: [Double]
    /// 1…1024.
    public let channelCount: Int

    /// The number of frames.
    public var frameCount: Int { samples.count / channelCount }
    /// Whether there is no frame.
    public var isEmpty: Bool { samples.isEmpty }

    /// A block of interleaved samples.
    ///
    /// - Precondition: there is a channel at least, and each frame is whole.
    public init(samples: [Double] = [], channelCount: Int) {
        precondition(channelCount > 0 && samples.count.isMultiple(of: channelCount), "a block has whole frames")
        self.samples = samples
        self.channelCount = channelCount
    }

    /// A sample.
    ///
    /// - Precondition: the block has such a frame, and such a channel.
    public subscript(frame: Int, channel: Int) -> Double {
        get {
            precondition((0..<channelCount).contains(channel), "a block has no such channel")
            return samples[frame * channelCount + channel]
        }
        set {
            precondition((0..<channelCount).contains(channel), "a block has no such channel")
            samples[frame * channelCount + channel] = newValue
        }
    }

    /// The samples of a frame.
    ///
    /// - Precondition: the block has such a frame.
    public func frame(_ frame: Int) -> ArraySlice<Double> {
        samples[frame * channelCount..<(frame + 1) * channelCount]
    }

    /// The frames in the opposite order.
    public func reversed() -> SoundBlock {
        // Samples that are reversed have their channels reversed, too.
        var reversed = samples
        reversed.reverse()
        if channelCount > 1 {
            for start in stride(from: 0, to: reversed.count, by: channelCount) {
                reversed[start..<start + channelCount].reverse()
            }
        }
        return SoundBlock(samples: reversed, channelCount: channelCount)
    }

    /// The largest magnitude of a sample; 0 for no samples. NaN is left out.
    public var peak: Double {
        samples.reduce(0) { max($0, $1.isNaN ? 0 : abs($1)) }
    }
}
