// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The channels that go together in the connections that the app has made in a session, or is making. Confined to the loop.
final class ConnectionPairings {
    /// Those that the rule would not give.
    private var special: [ConnectionEnds: ChannelPairing] = [:]

    subscript(ends: ConnectionEnds) -> ChannelPairing {
        get { special[ends] ?? .matching }
        set { special[ends] = newValue == .matching ? nil : newValue }
    }

    /// Notes the channels of a connection that the app is about to make.
    func begin(_ pairing: ChannelPairing, from source: GraphPort, to destination: GraphPort) {
        self[ConnectionEnds(source: source.id, destination: destination.id)] = pairing
    }
}
