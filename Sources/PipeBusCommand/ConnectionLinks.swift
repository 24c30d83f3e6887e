// SPDX-License-Identifier: MIT
import PipeBus

/// A connection in the form of `list`.
struct ConnectionLinks: Encodable {
    /// The destination's unique name.
    var destination: String
    /// "audio", "midi", "video" or "other".
    var medium: String
    var links: LinkCount

    /// The words for a connection that carries no sound.
    var mediumNote: String { Medium(rawValue: medium)?.note ?? "" }

    static func all(
        _ connections: [Connection], in graph: GraphSnapshot, _ names: [GraphPort.ID: String]
    ) -> [Self] {
        connections.compactMap { connection in
            names[connection.destination].map {
                Self(
                    destination: $0, medium: connection.medium.rawValue, links: LinkCount(of: connection, in: graph))
            }
        }
        .naturallySorted(by: \.destination)
    }
}
