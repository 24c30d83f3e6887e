// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTesting

extension ReceiverPort {
    /// Waits until the sources have published these latencies, in any order: they come a moment after the links.
    func reports(latencies: [Int]) async throws {
        try await eventually("the latencies \(latencies.sorted())") {
            try await sources.map(\.latency.frames).sorted() == latencies.sorted()
        }
    }

    /// The source of a title, once it is there.
    func source(titled title: String) async throws -> Source {
        try await eventualResult("the source \(title)") { try await sources.first { $0.title == title } }
    }
}
