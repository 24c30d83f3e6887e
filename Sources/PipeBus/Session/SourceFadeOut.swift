// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient
import Synchronization

/// Fades sources out at our own receivers before they are disconnected. Confined to the loop.
struct SourceFadeOut {
    private let connection: SessionConnection
    private let ports: PortTable

    init(on connection: SessionConnection, _ ports: PortTable) {
        self.connection = connection
        self.ports = ports
    }

    /// Fades a source out, and returns when it is silent.
    ///
    /// The call returns at once at a port without a fade, and on a lane that several sources share: the rest of them
    /// stay. It returns after the longest duration of a fade if the graph stands still.
    func run(_ source: GraphPort.ID, at destination: GraphPort.ID) async {
        guard let port = ports[destination], let control = port.receiver,
            let lane = control.lane(of: source), control.lanes[lane].linkSummary?.isShared == false,
            control.fade != .none
        else { return }
        let sourceGeneration = control.lanes[lane].sourceGeneration
        control.setLeaving(true, lane: lane)
        control.publish()
        let deadline = ContinuousClock.now.advanced(by: longestFade(of: port, control))
        while connection.isOpen, ContinuousClock.now < deadline,
            control.lanes[lane].isLinked, control.lanes[lane].sourceGeneration == sourceGeneration,
            control.memory.fadedOutGeneration(ofLane: lane) != sourceGeneration
        {
            // Polled, because the audio thread cannot notify the control side.
            await connection.sleep(for: .milliseconds(2))
        }
    }

    /// The longest duration of a fade. It starts in the cycle after next at the latest, and ends with the end of a
    /// cycle. Zero before the port's first cycle.
    private func longestFade(of port: LivePort, _ control: ReceiverControl) -> Duration {
        let statistics = port.declared.statistics
        guard statistics.cycles > 0, port.sampleRate > 0 else { return .zero }
        let cycle = Double(statistics.frames) / Double(statistics.cycles) / Double(port.sampleRate)
        return .microseconds(control.fade.microseconds) + .seconds(4 * cycle) + .milliseconds(50)
    }

    /// Makes a source audible again that could not be disconnected. Idempotent.
    func cancel(_ source: GraphPort.ID, at destination: GraphPort.ID) {
        guard let control = ports[destination]?.receiver,
            let lane = control.lane(of: source), control.lanes[lane].isLeaving
        else { return }
        control.setLeaving(false, lane: lane)
        control.publish()
    }
}
