// SPDX-License-Identifier: MIT
import CAudioConversion

/// Conversion between the graph's sound, planar 32-bit floats at the graph's rate, and an app's: sample format, channels and
/// rate.
///
/// One type for each direction: ``FormatConverter/ToClient`` and ``FormatConverter/FromClient``.
package enum FormatConverter {
    /// What both directions are made from.
    package struct Settings: Equatable, Sendable {
        package var layout: SampleLayout
        /// 1…64.
        package var graphChannelCount: Int
        /// In Hz; with the client's rate within a factor of 48.
        package var graphRate: Double
        /// 8000…384 000 Hz.
        package var clientRate: Double
        /// Whether the ratio of the rates may be changed, by ±1 %, for an app with a clock of its own. Equal rates are then
        /// resampled too.
        package var isAdjustable: Bool
        /// Whether the graph's rate may change: see `setGraphRate`. There is a resampler then, which equal rates do not use.
        package var isRetunable: Bool
        package var quality: Resampler.Quality

        package init(
            layout: SampleLayout, graphChannelCount: Int, graphRate: Double, clientRate: Double,
            isAdjustable: Bool = false, isRetunable: Bool = false, quality: Resampler.Quality = .medium
        ) {
            self.layout = layout
            self.graphChannelCount = graphChannelCount
            self.graphRate = graphRate
            self.clientRate = clientRate
            self.isAdjustable = isAdjustable
            self.isRetunable = isRetunable
            self.quality = quality
        }

        var hasResampler: Bool { isAdjustable || isRetunable || graphRate != clientRate }

        func makeResampler(channelCount: Int, from inputRate: Double, to outputRate: Double) -> ResamplerMemory? {
            guard hasResampler else { return nil }
            return ResamplerMemory(
                channelCount: channelCount, ratio: outputRate / inputRate, deviation: isAdjustable ? 0.01 : 0.001,
                quality: quality)
        }
    }

    /// The longest piece of a conversion that needs memory of its own, in frames.
    static var piece: Int { @_noLocks get { 512 } }
}
