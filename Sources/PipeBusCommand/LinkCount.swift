// SPDX-License-Identifier: MIT
import PipeBus

/// The number of links of a connection, and of those that it should have. A person who takes away one of two channels, or
/// a program that fails half-way, leaves a part of them.
struct LinkCount: Encodable {
    /// Each pair of channels once.
    var present: Int
    /// Absent where the numbers of channels do not go together, so that nobody can tell.
    var expected: Int?

    init(present: Int, expected: Int?) {
        self.present = present
        self.expected = expected
    }

    init(of connection: Connection, in graph: GraphSnapshot) {
        // A receiver's lanes have the same channels, and a source may be on two of them.
        let width = graph.port(connection.destination)?.laneWidth ?? 0
        let pairs = connection.links.map { [$0.output, width > 0 ? $0.input % width : $0.input] }
        let outputs = graph.port(connection.source)?.outputs.count ?? 0
        self.init(present: Set(pairs).count, expected: Self.expected(outputs: outputs, inputs: width))
    }

    /// The rule of `connect`: as many inputs as outputs, or mono on both channels of stereo.
    static func expected(outputs: Int, inputs: Int) -> Int? {
        guard outputs > 0, outputs == inputs || (outputs, inputs) == (1, 2) else { return nil }
        return inputs
    }

    /// The words for a connection that lacks links; empty for a whole one.
    var note: String {
        guard let expected, present < expected else { return "" }
        return "  (\(present) of \(expected) links)"
    }
}
