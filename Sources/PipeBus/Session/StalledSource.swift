// SPDX-License-Identifier: MIT
import ConnectionGraph

/// A source that hangs and was disconnected until it answers, at one of our ports: everything that is needed to connect it
/// again.
struct StalledSource {
    /// An output channel of the source, and the channel of the lane that it was linked to.
    struct Route: Hashable {
        var output: UInt32
        var channel: Int
    }

    let source: UInt64
    let routes: [Route]
    let lane: Int
    /// The lane's links before; `nil` if other sources share the lane.
    let linkSummary: LaneTable.LinkSummary?
}
