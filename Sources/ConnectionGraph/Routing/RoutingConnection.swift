// SPDX-License-Identifier: MIT

/// A connection of a ``RoutingPreset``; several where a matcher is a rule: each source that fits to each destination that fits.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct RoutingConnection: Sendable, Hashable {
    /// The port that it comes from, or several.
    public var source: PortMatcher
    /// The port that it goes to, or several.
    public var destination: PortMatcher
    /// The channels that go together.
    public var channels: ChannelPairing
    /// The level of the source at a receiver that was made with PipeBus; `nil` leaves it as it is.
    public var level: RoutingLevel?

    /// A connection, whose level is checked by ``RoutingPreset/init(connections:bypasses:)``.
    public init(
        from source: PortMatcher, to destination: PortMatcher, channels: ChannelPairing = .matching,
        level: RoutingLevel? = nil
    ) {
        self.source = source
        self.destination = destination
        self.channels = channels
        self.level = level
    }

    /// Whether it may mean several connections.
    public var isRule: Bool { source.isRule || destination.isRule }
}
