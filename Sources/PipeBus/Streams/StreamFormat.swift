// SPDX-License-Identifier: MIT
import AudioConversion

/// The form in which an app takes or gives the sound of a stream: samples, channels and rate. The library converts.
///
/// ```swift
/// let format = StreamFormat(.int16, channelCount: 2, sampleRate: 44_100)
/// ```
///
/// | channels of the port | of the format | a channel is |
/// | --- | --- | --- |
/// | any number | as many | the one of its number |
/// | one | several | that one |
/// | several | one | the mean of all |
/// | several | several others | the one of its number; silence where there is none |
///
/// Integers of *b* bits are floats times 2^(*b* − 1), rounded to the nearest and clamped: 1.0 and more is the largest integer, and
/// NaN is 0. Floats are not clamped.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct StreamFormat: Sendable, Hashable {
    /// A sample in memory, little endian.
    ///
    /// - Thread: any. A value.
    /// - Realtime: safe.
    public enum Sample: Sendable, Hashable, CaseIterable {
        /// A float of 32 bits. Full scale is −1…1.
        case float32
        /// An integer of 16 bits.
        case int16
        /// An integer of 24 bits in 3 bytes.
        case int24
        /// An integer of 32 bits.
        case int32

        /// Number of bytes of a sample.
        public var byteCount: Int { layout.byteCount }

        var layout: SampleLayout.Sample {
            switch self {
            case .float32: .float32
            case .int16: .int16
            case .int24: .int24
            case .int32: .int32
            }
        }
    }

    /// The samples.
    public var sample: Sample
    /// Number of channels, 1…64; `nil`: those of the port.
    public var channelCount: Int?
    /// Whether the samples of a frame lie beside each other: left, right, left, right, … Otherwise the channels lie one after the
    /// other in the memory of a call, each with all of its frames.
    public var isInterleaved: Bool
    /// The sample rate, 8000…384 000 Hz; `nil`: the graph's, whatever it is.
    public var sampleRate: Int?
    /// Whether integers of 16 and 24 bits are dithered: noise of ±1 step with a triangular density, before they are rounded. It
    /// has no effect on other samples, nor on what an app gives.
    public var isDithered: Bool

    /// Creates a format.
    public init(
        _ sample: Sample, channelCount: Int? = nil, isInterleaved: Bool = true, sampleRate: Int? = nil,
        isDithered: Bool = true
    ) {
        self.sample = sample
        self.channelCount = channelCount
        self.isInterleaved = isInterleaved
        self.sampleRate = sampleRate
        self.isDithered = isDithered
    }

    /// Interleaved 32-bit floats with the port's channels, at the graph's rate.
    public static let float32 = StreamFormat(.float32)

    /// Whether it is the graph's own: floats of the port's channels and the graph's rate.
    var isPlain: Bool { sample == .float32 && channelCount == nil && sampleRate == nil }

    /// - Parameters:
    ///   - portChannels: number of channels of the port.
    ///   - graphRate: in hertz; 0 while it is not known.
    ///   - isAdjustable: whether the ratio of the rates follows another clock.
    func settings(portChannels: Int, graphRate: Int, isAdjustable: Bool = false) -> FormatConverter.Settings {
        let known = graphRate > 0 ? Double(graphRate) : Double(sampleRate ?? 48_000)
        return FormatConverter.Settings(
            layout: SampleLayout(
                sample: sample.layout, isInterleaved: isInterleaved, channelCount: channelCount ?? portChannels,
                ditherEnabled: isDithered),
            graphChannelCount: portChannels, graphRate: known, clientRate: sampleRate.map(Double.init) ?? known,
            isAdjustable: isAdjustable, isRetunable: sampleRate != nil)
    }

    /// - Throws: ``PipeBusError`` `invalidArgument`.
    func check(hasOwnClock: Bool) throws {
        try check()
        guard hasOwnClock, sampleRate == nil else { return }
        throw PipeBusError(
            .invalidArgument, "A clock of the app's own has a rate of its own: give the stream's format a sampleRate.")
    }

    /// - Throws: ``PipeBusError`` `invalidArgument`.
    func check() throws {
        if let channelCount, !(1...ChannelLayout.maximumCount).contains(channelCount) {
            throw PipeBusError(
                .invalidArgument,
                "A stream's format has 1 to \(ChannelLayout.maximumCount) channels, not \(channelCount).")
        }
        if let sampleRate, !(8_000...384_000).contains(sampleRate) {
            throw PipeBusError(
                .invalidArgument, "A stream's format has a sample rate of 8000 to 384000 Hz, not \(sampleRate).")
        }
    }
}
