// SPDX-License-Identifier: MIT

/// Connections that are made and ended together: all of them, or none.
///
/// A change is by names, so it can be applied after a restart of the apps.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct ConnectionChange: Sendable, Hashable, CustomStringConvertible {
    /// A connection that is made or ended.
    public struct Item: Sendable, Hashable, CustomStringConvertible {
        /// The port that it comes from.
        public let source: PortName
        /// The port that it goes to.
        public let destination: PortName
        /// The channels that go together.
        public let channels: ChannelPairing

        /// A connection of two ports. Neither need be there.
        public init(source: PortName, destination: PortName, channels: ChannelPairing = .matching) {
            self.source = source
            self.destination = destination
            self.channels = channels
        }

        /// For a person: "Tone.out → Echo.in", with a word about the channels if they are not ``ChannelPairing/matching``. Other
        /// programs choose the names, so these are cut to 40 characters, and made printable.
        public var description: String {
            let ends = [source, destination].map { RoutingError.shown($0.nodeName) }.joined(separator: " → ")
            return switch channels.form {
            case .matching: ends
            case .downmix: "\(ends) (downmix)"
            case .single: "\(ends) (one channel)"
            case .pairs(let pairs): "\(ends) (\(pairs.count) pair\(pairs.count == 1 ? "" : "s") of channels)"
            }
        }
    }

    /// The connections that are made, in this order.
    public let connected: [Item]
    /// The connections that are ended, in this order.
    public let disconnected: [Item]

    /// A change that an app has put together. What is connected already, or not connected, is left out when it is applied.
    public init(connected: [Item], disconnected: [Item]) {
        self.connected = connected
        self.disconnected = disconnected
    }

    /// The change that undoes this one.
    public var inverse: ConnectionChange {
        ConnectionChange(connected: disconnected.reversed(), disconnected: connected.reversed())
    }

    /// Whether it changes nothing.
    public var isEmpty: Bool { connected.isEmpty && disconnected.isEmpty }

    /// For a person: "connected Tone.out → Echo.in; disconnected Tone.out → Mixer.in", or "nothing changed".
    public var description: String {
        guard !isEmpty else { return "nothing changed" }
        return [("connected", connected), ("disconnected", disconnected)].filter { !$0.1.isEmpty }
            .map { "\($0.0) \($0.1.map(\.description).joined(separator: ", "))" }.joined(separator: "; ")
    }
}
