// SPDX-License-Identifier: MIT

/// The latencies of all paths of a graph, as far as its ports declare them.
///
/// | port | latency of the sound that leaves it |
/// | --- | --- |
/// | sender made with PipeBus | what it declares; for a sender that follows a receiver, with the receiver's sources |
/// | filter made with PipeBus | what arrives, and what it declares |
/// | other node with inputs and outputs | from 0 to what arrives, because the node may not pass its input on |
/// | other node, device | 0 |
///
/// Where paths form a loop, the connection that closed it last does not count, as its sound comes back to a port that has had it.
/// ``DeclaredLatency/isComplete`` is false behind it.
///
/// It is computed once, by ``GraphSnapshot/latencies``, from the graph alone. `Source.latencyRange` is what PipeWire reports to
/// a receiver of the app, with the latencies of other programs.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct GraphLatencies: Sendable {
    private let leaving: [GraphPort.ID: DeclaredLatency]
    private let arriving: [GraphPort.ID: DeclaredLatency]

    init(leaving: [GraphPort.ID: DeclaredLatency], arriving: [GraphPort.ID: DeclaredLatency]) {
        self.leaving = leaving
        self.arriving = arriving
    }

    /// The age of the sound that leaves a port, and so of the sound that each of its connections brings. `nil` for a port without
    /// outputs.
    public func latency(leaving port: GraphPort.ID) -> DeclaredLatency? { leaving[port] }

    /// The age of the sound that arrives at a port, over all its connections. `nil` for a port without sources.
    public func latency(arrivingAt port: GraphPort.ID) -> DeclaredLatency? { arriving[port] }

    /// The worst mismatch at a port, in frames: the difference between the oldest and the youngest sound that arrives, also over one
    /// connection from a filter that mixes both. 0 for a port without sources.
    ///
    /// A receiver delays its younger sources until all are as old as the oldest. A filter mixes them as they come.
    public func mismatch(at port: GraphPort.ID) -> Int { arriving[port].map { $0.frames.count - 1 } ?? 0 }
}

extension GraphSnapshot {
    /// The latencies of all paths.
    ///
    /// - Complexity: O(*n* + *m* log *m*) in the number of ports and of connections. Loops cost more, which is bounded.
    public var latencies: GraphLatencies { LatencySum(self).latencies }
}
