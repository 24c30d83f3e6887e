// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The links that a connection needs.
struct LinkPlan {
    let outputs: [GraphPort.Channel]
    let pairs: [ChannelMatching.Pair]
    /// The lane whose first input the pairs count from.
    let lane: Int
    /// Whether a connection of another client between the same ports, which is older, takes its place.
    let yields: Bool
    /// The receiver of this client that has reserved lanes; `nil` for another app's port.
    var reservedAt: LivePort?
    var reservedLanes: [Int] = []
    /// Whether the destination is another app's receiver, which may move our links to another lane.
    var mayBeMoved = false

    func endReservation() {
        for lane in reservedLanes {
            reservedAt?.links.endReservation(ofLane: lane)
            reservedAt?.receiver?.endMono(lane: lane)
        }
    }
}
