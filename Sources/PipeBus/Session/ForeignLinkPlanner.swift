// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Decides which links another program's connection needs that is made again. Confined to the loop.
struct ForeignLinkPlanner {
    private let model: GraphModel
    private let ports: PortTable

    init(_ model: GraphModel, _ ports: PortTable) {
        self.model = model
        self.ports = ports
    }

    /// The lane that a connection has already, of which links are missing: the app's own one to which links were added, or one
    /// that was interrupted while it was being made.
    ///
    /// - Returns: its number before, and at present; `nil` if there is no such lane.
    func keptLane(
        of foreign: ForeignConnection, from source: GraphPort, to destination: GraphPort
    ) -> (former: Int, present: Int)? {
        let width = max(destination.laneWidth, 1)
        let present = model.snapshot.connection(from: source.id, to: destination.id)?.links ?? []
        guard let first = present.first else { return nil }
        if foreign.key.isAddition { return foreign.ownLane.map { ($0, first.input / width) } }
        let lanes = foreign.lanes(ofWidth: width)
        guard let lane = lanes.first, lanes.count == 1, present.count < foreign.channels.count else { return nil }
        let shift = first.input / width - lane
        let isPart = present.allSatisfy { link in
            foreign.channels.contains(.init(output: link.output, input: link.input - shift * width))
        }
        return isPart ? (lane, lane + shift) : nil
    }

    /// The links of another program's connection that are missing. At a receiver of this app, each other lane that the source had
    /// becomes a free one.
    func plan(
        _ foreign: ForeignConnection, keeping kept: (former: Int, present: Int)?, from source: GraphPort,
        to destination: GraphPort
    ) throws -> LinkPlan {
        let width = max(destination.laneWidth, 1)
        let lanes = foreign.lanes(ofWidth: width).sorted()
        let present = model.snapshot.connection(from: source.id, to: destination.id)?.links ?? []
        guard foreign.channels.allSatisfy({ source.outputs.indices.contains($0.output) }),
            destination.inputs.count >= ((lanes.last ?? 0) + 1) * width
        else {
            throw PipeBusError(.channelMismatch, "One of the two has other channels than before.")
        }
        func pairs(onLanes newLanes: [Int: Int]) -> [ChannelMatching.Pair] {
            foreign.channels.compactMap { channels in
                newLanes[channels.input / width].map {
                    ChannelMatching.Pair(output: channels.output, input: $0 * width + channels.input % width)
                }
            }
            .filter { pair in !present.contains { $0.output == pair.output && $0.input == pair.input } }
            .sorted { ($0.output, $0.input) < ($1.output, $1.input) }
        }
        let yields = lanes.count == 1 && !foreign.key.isAddition
        if yields, ports[destination.id] == nil, destination.isPipeBus, destination.kind == .receiver {
            return planThatMayBeMoved(foreign, to: kept?.present, former: lanes[0], from: source, at: destination)
        }
        let own = kept.map { [$0.former: $0.present] } ?? [:]
        guard let port = ports[destination.id], port.kind == .receiver else {
            let same = Dictionary(uniqueKeysWithValues: zip(lanes, lanes))
            return LinkPlan(
                outputs: source.outputs, pairs: pairs(onLanes: own.merging(same) { own, _ in own }), lane: 0,
                yields: yields)
        }
        var free: [Int: Int] = [:]
        for lane in lanes where own[lane] == nil {
            free[lane] = port.links.reserveAnotherLane(for: source.id.serial)
        }
        guard !free.isEmpty || !own.isEmpty else {
            throw PipeBusError(.noFreeLane, "All lanes of \(destination.shownTitle) have a source.")
        }
        return LinkPlan(
            outputs: source.outputs, pairs: pairs(onLanes: own.merging(free) { own, _ in own }), lane: 0,
            yields: yields, reservedAt: port, reservedLanes: free.values.sorted())
    }

    /// The links to one lane of another app's receiver. That app may give the lane to another source at the same moment, and moves
    /// this one then.
    ///
    /// - Parameters:
    ///   - kept: the lane that the connection has already.
    ///   - former: the lane that it had before.
    private func planThatMayBeMoved(
        _ foreign: ForeignConnection, to kept: Int?, former: Int, from source: GraphPort, at destination: GraphPort
    ) -> LinkPlan {
        let planner = LinkPlanner(graph: model.snapshot, ports: ports)
        let pairs = foreign.channels.map {
            ChannelMatching.Pair(output: $0.output, input: $0.input % max(destination.laneWidth, 1))
        }
        return LinkPlan(
            outputs: source.outputs, pairs: pairs.sorted { ($0.output, $0.input) < ($1.output, $1.input) },
            lane: kept ?? planner.freeLane(of: destination, except: [], preferring: former) ?? former, yields: true,
            mayBeMoved: true)
    }
}
