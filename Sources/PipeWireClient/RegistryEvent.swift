// SPDX-License-Identifier: MIT

/// A change of one of the daemon's objects.
package enum RegistryEvent: Sendable, Equatable {
    package enum Kind: UInt32, Sendable { case other = 0, client, node, port, link, metadata, profiler }

    case added(id: UInt32, kind: Kind, properties: [String: String])
    /// All properties of a client or a node, whenever one changes.
    case properties(id: UInt32, [String: String])
    /// Whether a node runs, whenever its state changes. For another process's node the daemon waits until that process has
    /// answered.
    case nodeState(id: UInt32, isRunning: Bool)
    /// Whether a bound link closes a loop (feedback): its sound comes one cycle late.
    case feedback(id: UInt32, Bool)
    /// The latency that a bound port declares.
    ///
    /// For an output it is the age of its sound, for an input the time that its sound will still take. The other
    /// direction is the latency that arrives at the port.
    case latency(id: UInt32, isOutputLatency: Bool, PathLatencyRange)
    case removed(id: UInt32)
}
