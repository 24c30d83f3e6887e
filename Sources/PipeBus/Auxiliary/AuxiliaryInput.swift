// SPDX-License-Identifier: MIT

/// An extra input of a filter, such as the key of a compressor (a side-chain).
///
/// ```swift
/// let filter = try await bus.filter("duck", auxiliaryInputs: [AuxiliaryInput("key", channels: .mono)], state: 0) {
///     state, cycle, input, auxiliary, output in …
/// }
/// try await bus.connect("Kick", to: filter.auxiliaryInputs[0])
/// ```
///
/// It is a receiver of the same app, with lanes, levels, meters and fades of its own, that runs before the filter in each cycle. It is
/// closed with the filter. If it is closed alone, the filter goes on, and its key is silent.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct AuxiliaryInput: Sendable, Hashable {
    /// The name, unique among the filter's auxiliary inputs. The receiver's name is the filter's, a dot, and this one.
    public var name: String
    /// The name shown to people; by default the filter's title or name, and this one's name.
    public var title: String?
    /// Channels of the mix and of each source.
    public var channels: ChannelLayout
    /// The largest number of sources at once, 1…``ReceiverPort/maximumLaneCount``.
    public var lanes: Int
    /// Whether its sound is aligned with the filter's input.
    ///
    /// ``Alignment/synchronized``: the one waits for the other, so that sound which was made at one time is processed at one time.
    /// A filter's input that waits is delay, which is published as a part of ``FilterPort/latency``.
    /// ``Alignment/immediate``: neither waits.
    public var alignment: Alignment
    /// The fade of sources that are connected or disconnected.
    public var fade: Fade

    /// An auxiliary input. The values are checked when the filter is added.
    ///
    /// - Parameters:
    ///   - name: unique among the filter's auxiliary inputs; with the filter's name and a dot 1…128 bytes on one line, without ":"
    ///     and "/".
    ///   - title: the name shown to people; by default the filter's title or name, and this one's name.
    ///   - channels: 1…64 channels of the mix and of each source.
    ///   - lanes: the largest number of sources at once, 1…``ReceiverPort/maximumLaneCount``; at most 1024 channels in all lanes.
    ///   - alignment: whether its sound and the filter's input wait for each other.
    ///   - fade: the fade of sources that are connected or disconnected.
    public init(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, lanes: Int = 8,
        alignment: Alignment = .synchronized, fade: Fade = .standard
    ) {
        self.name = name
        self.title = title
        self.channels = channels
        self.lanes = lanes
        self.alignment = alignment
        self.fade = fade
    }

    /// The largest number of a filter's auxiliary inputs.
    public static var maximumCount: Int { 16 }
}
