// SPDX-License-Identifier: MIT
import PipeBus

/// A source of a port in the form of `list`.
struct ListedSource: Encodable {
    var uniqueName: String
    /// "audio", "midi", "video" or "other".
    var medium: String
    /// The source's lanes at a PipeBus receiver, from 1. Absent for other ports and other media.
    var lanes: [Int]?
    var links: LinkCount
    /// Unique names of the ports that share a lane with the source.
    var others: [String]

    /// The words for a connection that carries no sound.
    var mediumNote: String { Medium(rawValue: medium)?.note ?? "" }

    /// - Parameter connections: those that end at the port, of all media.
    /// - Returns: sources with lanes, in the order of lanes, then others by name.
    static func all(
        at port: GraphPort, _ connections: [Connection], in graph: GraphSnapshot, _ names: [GraphPort.ID: String]
    ) -> [Self] {
        let hasLanes = port.isPipeBus && port.kind == .receiver
        let width = max(port.laneWidth, 1)
        let lanes = connections.map { connection in
            hasLanes && connection.medium == .audio ? Set(connection.links.map { $0.input / width }) : []
        }
        return zip(connections, lanes).compactMap { connection, own in
            names[connection.source].map { name in
                let others = zip(connections, lanes).filter { other, lanes in
                    other.source != connection.source && !lanes.isDisjoint(with: own)
                }
                return Self(
                    uniqueName: name, medium: connection.medium.rawValue,
                    lanes: hasLanes && connection.medium == .audio ? own.map { $0 + 1 }.sorted() : nil,
                    links: LinkCount(of: connection, in: graph), others: others.compactMap { names[$0.0.source] })
            }
        }
        .sorted {
            let (lane, other) = ($0.lanes?.first ?? .max, $1.lanes?.first ?? .max)
            return lane == other ? NaturalOrder($0.uniqueName) < NaturalOrder($1.uniqueName) : lane < other
        }
    }
}
