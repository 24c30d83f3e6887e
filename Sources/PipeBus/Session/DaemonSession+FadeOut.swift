// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient
import Synchronization

extension DaemonSession {
    /// Fades a source out that is about to be unlinked, and comes back when it cannot be heard any more. Where the graph
    /// stands still, and at ports that do not fade, there is nothing to wait for.
    ///
    /// A lane that several sources share is not faded: the others stay.
    func fadeOut(_ source: GraphPort.ID, at destination: GraphPort.ID) async {
        guard let node = ports[destination], let control = node.receiver,
            let lane = control.lane(of: source), control.lanes[lane].occupation?.isShared == false,
            control.fade != .none
        else { return }
        let occupancy = control.lanes[lane].occupancy
        control.setLeaving(true, lane: lane)
        control.publish()
        let deadline = ContinuousClock.now.advanced(by: longestFade(of: node, control))
        while isOpen, ContinuousClock.now < deadline,
            control.lanes[lane].isLinked, control.lanes[lane].occupancy == occupancy,
            control.memory.quietGeneration(ofLane: lane) != occupancy
        {
            // The audio thread cannot wake anybody.
            await pause(.milliseconds(2))
        }
    }

    /// A fade begins in the cycle after next at the latest and goes on to the end of another.
    private func longestFade(of node: LivePort, _ control: ReceiverControl) -> Duration {
        let statistics = node.statistics
        guard statistics.cycles > 0, node.sampleRate > 0 else { return .zero }
        let cycle = Double(statistics.frames) / Double(statistics.cycles) / Double(node.sampleRate)
        return .microseconds(control.fade.microseconds) + .seconds(4 * cycle) + .milliseconds(50)
    }

    /// What could not be unlinked is heard again.
    func endFadeOut(_ source: GraphPort.ID, at destination: GraphPort.ID) {
        guard let control = ports[destination]?.receiver,
            let lane = control.lane(of: source), control.lanes[lane].isLeaving
        else { return }
        control.setLeaving(false, lane: lane)
        control.publish()
    }
}
