// SPDX-License-Identifier: MIT
import ConnectionGraph

/// A source that hangs and was disconnected until it answers, at one of our ports: everything that is needed to connect it
/// again.
struct StalledSource {
    /// An output channel of the source, and the input that it was linked to.
    struct Route: Hashable {
        var output: UInt32
        var place: PortLinks.Place
    }

    let source: UInt64
    /// Empty if the port's node was made again meanwhile: the source is then connected like all others.
    let routes: [Route]
    /// The links that each of its lanes had before, but for lanes that other sources share.
    let linkSummaries: [Int: LaneTable.LinkSummary]

    var isOfFormerNode: Bool { routes.isEmpty }

    /// The routes to a lane.
    func routes(toLane lane: Int) -> [Route] { routes.filter { $0.place.lane == lane } }
}
