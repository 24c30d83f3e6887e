// SPDX-License-Identifier: MIT
import CAudioConversion

/// How an app's samples lie in memory.
package struct SampleLayout: Equatable, Sendable {
    /// One sample, little endian, at any address.
    package enum Sample: Equatable, Sendable, CaseIterable {
        /// From −1 to 1; larger values are not clamped.
        case float32
        case int16
        /// In 3 bytes.
        case int24
        case int32

        /// Number of bytes of a sample.
        package var byteCount: Int {
            switch self {
            case .int16: 2
            case .int24: 3
            case .float32, .int32: 4
            }
        }

        var format: cac_format {
            switch self {
            case .float32: cac_float32
            case .int16: cac_int16
            case .int24: cac_int24
            case .int32: cac_int32
            }
        }
    }

    package var sample: Sample
    /// Whether the samples of a frame lie beside each other. Otherwise each channel has memory of its own.
    package var isInterleaved: Bool
    /// 1…64.
    package var channelCount: Int
    /// Whether integers of 16 and 24 bits get a dither of ±1 step with a triangular density (TPDF) before they are rounded. It has
    /// no effect on other samples, nor on what an app gives.
    package var ditherEnabled: Bool

    package init(sample: Sample, isInterleaved: Bool, channelCount: Int, ditherEnabled: Bool = false) {
        self.sample = sample
        self.isInterleaved = isInterleaved
        self.channelCount = channelCount
        self.ditherEnabled = ditherEnabled
    }

    /// Number of addresses that samples of this layout need: one, or one for each channel.
    package var planeCount: Int { isInterleaved ? 1 : channelCount }
    /// Number of bytes from one sample of a channel to the next.
    package var stride: Int { sample.byteCount * (isInterleaved ? channelCount : 1) }
}
