// SPDX-License-Identifier: MIT

/// The daemon's report about one cycle of one driver: when each node was signalled, began and ended.
///
/// Times are nanoseconds of CLOCK_MONOTONIC, 0 for never. They are those at the end of the cycle, or at the start of the
/// next one if a node has not finished by then.
package struct ProfilerReport: Sendable, Equatable {
    /// The state of a node in the cycle.
    package enum Status: Sendable, Equatable {
        /// The node waits for other nodes.
        case waiting
        /// The node was signalled, and has not begun.
        case signalled
        /// The node's process function runs. In a report about a cycle that was not finished, versions signal such a node
        /// again, so that it shows as ``signalled``.
        case running
        case finished
        /// The node takes no part (1.4).
        case inactive
        case other(Int32)
    }

    /// The times of a node.
    package struct Node: Sendable, Equatable {
        /// The global id.
        package var id: UInt32
        /// `node.name`, as its process chose it: not printable, at most 256 bytes.
        package var name: String
        package var previousSignal: Int64
        package var signal: Int64
        package var start: Int64
        package var finish: Int64
        package var status: Status
        /// Number of cycles in which the node was late; `nil` on 0.3.65 and for drivers there.
        package var xrunCount: Int?
        /// Whether the node's output is taken one cycle later (1.6).
        package var isAsync = false
    }

    /// The load of the driver's graph, and its xruns.
    package struct Load: Sendable, Equatable {
        /// Number of the report.
        package var counter: Int64
        /// Share of the cycle that the graph took, averaged over a short, a medium and a long time.
        package var fast: Float
        package var medium: Float
        package var slow: Float
        package var xrunCount: Int
    }

    /// The driver's clock.
    package struct Clock: Sendable, Equatable {
        package var id: UInt32
        package var name: String
        package var nanoseconds: Int64
        /// The sample rate, in hertz; 0 if unknown.
        package var sampleRate: Int
        package var position: Int64
        /// Number of frames in the cycle.
        package var duration: Int64
        package var delay: Int64
    }

    package var load: Load?
    package var clock: Clock?
    package var driver: Node
    /// The other nodes of the driver's graph. A node that is paused is not among them.
    package var followers: [Node]
}

extension ProfilerReport.Status {
    /// A status of `struct pw_node_activation`.
    init(_ value: Int32) {
        self =
            switch value {
            case 0: .waiting
            case 1: .signalled
            case 2: .running
            case 3: .finished
            case 4: .inactive
            default: .other(value)
            }
    }
}
