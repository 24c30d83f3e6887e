// SPDX-License-Identifier: MIT
import PipeWireClient

/// What a client looks at more closely than the registry does, because of loops: the marks of links, and what ports tell.
struct LatencyWatch {
    /// Links that were asked for their mark.
    var links: Set<UInt32> = []
    /// Those of them that come one cycle late.
    var feedback: Set<UInt32> = []
    /// Ports that were asked for their latency.
    var channels: Set<UInt32> = []
    var told: [UInt32: PathLatencyRange] = [:]
    var isReviewDue = false

    /// An object is gone; its id may be another's soon.
    mutating func forget(_ id: UInt32) {
        links.remove(id)
        feedback.remove(id)
        channels.remove(id)
        told[id] = nil
    }
}
