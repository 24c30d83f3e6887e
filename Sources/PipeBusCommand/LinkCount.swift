// SPDX-License-Identifier: MIT
import PipeBus

/// The number of links of a connection, and of those that it should have.
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
        let count = graph.linkCount(of: connection)
        self.init(present: count.present, expected: count.expected)
    }

    /// The words for a connection that lacks links; empty for a whole one.
    var note: String {
        guard let expected, present < expected else { return "" }
        return "  (\(present) of \(expected) links)"
    }
}
