// SPDX-License-Identifier: MIT
import PipeBusTestSupport

extension GraphDump {
    static func take(_ graph: SteppedGraph) async throws -> GraphDump {
        try await take(from: try graph.start("pw-dump"))
    }
}
