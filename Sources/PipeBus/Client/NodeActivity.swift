// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// A node's part in the cycles of the graph, over some time. Nodes are ports of any app, devices, and drivers without
/// channels.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct NodeActivity: Sendable, Hashable {
    /// Whether a node takes part in cycles.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The node runs in each cycle.
        case running
        /// The node does not run: nothing is connected to it, or the other end is paused.
        case idle
        /// The node's last cycle was not finished for 100 ms, because its process is stopped or does not return, or a receiver
        /// has disconnected it until it answers.
        case stalled
    }

    /// The node's port in ``BusClient/graph``; `nil` for a node that is none, such as a driver without channels.
    public let port: GraphPort.ID?
    /// The name for people.
    public let title: String
    /// Whether the node takes part in cycles.
    public let state: State
    /// Whether the node drives the graph: its clock begins each cycle.
    public let isDriver: Bool
    /// The name of the node's driver for people; `nil` without a measurement.
    public let driver: String?
    /// Number of frames in a cycle; `nil` without a measurement.
    public let cycleLength: Int?
    /// The sample rate, in hertz; `nil` without a measurement.
    public let sampleRate: Int?
    /// The share of the cycles that the node's callback took: the mean and the maximum over the time of the measurement.
    /// That of a driver is the whole graph's. `nil` without a measurement.
    public let load: PortLoad?
    /// The mean share of the cycles between the end of the last source and the start of the node: the time to wake up.
    /// `nil` without a measurement.
    public let waiting: Float?
    /// Number of cycles that the node did not finish in time, by whosever fault, since the reader began.
    public let xrunCount: Int
    /// The node whose fault the last of these cycles was of which that is known, by its name for people; `nil` without one.
    public let culprit: String?
    /// Whether it was the node itself.
    public let isCulprit: Bool
    /// The age of the sound that leaves the node, or arrives at it if nothing leaves it, in frames, as the ports declare it;
    /// `nil` if they declare nothing.
    public let latency: Int?
}

/// What the daemon measured in the cycles of all nodes, over some time.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct GraphActivity: Sendable, Hashable {
    /// Whether there is a measurement. Without it the daemon has no profiler, or permits no access to it: the nodes are there,
    /// without their times.
    public let isMeasured: Bool
    /// All nodes, each driver before the nodes that it drives. Empty while there is no connection.
    public let nodes: [NodeActivity]
}
