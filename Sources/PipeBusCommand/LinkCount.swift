// SPDX-License-Identifier: MIT
import PipeBus

/// The number of links of a connection, and of those that it should have.
struct LinkCount: Encodable {
    /// Each pair of channels once.
    var present: Int
    /// Absent where the numbers of channels do not go together, so that nobody can tell.
    var expected: Int?
    /// The pairs of channels of a connection that lacks links, if they are few: one channel alone may be what somebody wants.
    var pairs: [String] = []

    private enum CodingKeys: CodingKey { case present, expected }

    init(present: Int, expected: Int?) {
        self.present = present
        self.expected = expected
    }

    init(of connection: Connection, in graph: GraphSnapshot) {
        let count = graph.linkCount(of: connection)
        self.init(present: count.present, expected: count.expected)
        guard let expected, present < expected, present <= 2, let source = graph.port(connection.source),
            let destination = graph.port(connection.destination)
        else { return }
        let width = max(destination.laneWidth, 1)
        let all = connection.links.compactMap { link -> String? in
            guard source.outputs.indices.contains(link.output), destination.inputs.indices.contains(link.input) else {
                return nil
            }
            // The channels of all lanes are called as those of the first.
            let input = destination.inputs[link.input % width]
            return "\(Self.name(of: source.outputs[link.output])) → \(Self.name(of: input))"
        }
        pairs = Set(all).naturallySorted { $0 }
    }

    private static func name(of channel: GraphPort.Channel) -> String {
        DiagramText.bounded(channel.position ?? channel.name, to: 16)
    }

    static func words(_ count: Int) -> String { "\(count) link\(count == 1 ? "" : "s")" }

    /// Whether the connection lacks links.
    var isPartial: Bool { expected.map { present < $0 } ?? false }

    /// The words for a connection that lacks links; empty for a whole one.
    var note: String {
        guard let expected, isPartial else { return "" }
        let which = pairs.isEmpty ? "" : ": \(pairs.joined(separator: ", "))"
        return "  (\(present) of \(expected) links\(which))"
    }
}
