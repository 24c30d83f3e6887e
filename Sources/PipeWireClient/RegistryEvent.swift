// SPDX-License-Identifier: MIT

/// What the daemon reports about its objects.
package enum RegistryEvent: Sendable, Equatable {
    package enum Kind: UInt32, Sendable { case other = 0, client, node, port, link, metadata }

    case added(id: UInt32, kind: Kind, properties: [String: String])
    /// All properties of a client or a node, whenever one changes.
    case properties(id: UInt32, [String: String])
    /// Whether a link that was bound closes a loop: what it carries comes one cycle late.
    case feedback(id: UInt32, Bool)
    /// What a port that was bound declares of its latency: the age of what an output gives, how long what an input takes will
    /// need, and the other way round of what arrives there.
    case latency(id: UInt32, isOutputLatency: Bool, PathLatencyRange)
    case removed(id: UInt32)
}
