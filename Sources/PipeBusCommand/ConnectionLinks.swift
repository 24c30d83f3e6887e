// SPDX-License-Identifier: MIT
import PipeBus

/// A connection in the form of `list`.
struct ConnectionLinks: Encodable {
    /// The destination's unique name.
    var destination: String
    var links: LinkCount

    static func all(
        _ connections: [Connection], in graph: GraphSnapshot, _ names: [GraphPort.ID: String]
    ) -> [Self] {
        connections.compactMap { connection in
            names[connection.destination].map {
                Self(destination: $0, links: LinkCount(of: connection, in: graph))
            }
        }
    }
}
