// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The two ports of a connection in the present session.
struct ConnectionEnds: Hashable, Comparable {
    var source: GraphPort.ID
    var destination: GraphPort.ID

    var ports: [GraphPort.ID] { [source, destination] }

    /// In the order of the ports' age.
    static func < (one: Self, other: Self) -> Bool { (one.source, one.destination) < (other.source, other.destination) }
}
