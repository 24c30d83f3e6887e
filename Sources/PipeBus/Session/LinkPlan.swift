// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The links that a connection needs.
struct LinkPlan {
    let outputs: [GraphPort.Channel]
    let pairs: [ChannelMatching.Pair]
    let lane: Int
    /// The receiver of this client that has reserved the lane; `nil` for another app's port.
    var reservedAt: LivePort?
    /// Whether the destination is another app's receiver, which may move our links to another lane.
    var mayBeMoved = false

    func endReservation() {
        reservedAt?.links.endReservation(ofLane: lane)
        reservedAt?.receiver?.endMono(lane: lane)
    }
}
