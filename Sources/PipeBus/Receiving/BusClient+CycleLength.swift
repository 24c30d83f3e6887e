// SPDX-License-Identifier: MIT
import PipeWireClient

extension BusClient {
    /// Some sources, devices above all, tell their latency in cycles or in time: what that is in frames changes with the
    /// cycle's length and the rate, of which nobody tells us on this side. So while there is such a source this looks
    /// from time to time.
    func watchCycleLength() {
        guard cycleTimer == nil, connection != nil, ending == nil,
            nodes.contains(where: { $0.receiver != nil && $0.latency.isRelative })
        else { return }
        cycleTimer = LoopTimer(on: loop, after: .milliseconds(40)) { [unowned self] in
            assumeIsolated { $0.lookAtCycleLength() }
        }
    }

    private func lookAtCycleLength() {
        for node in nodes where node.latency.isRelative {
            guard let memory = node.receiver?.memory else { continue }
            let cycle = (memory.cycleLength, memory.sampleRate)
            if node.lastCycle != cycle {
                node.lastCycle = cycle
                updateReceiver(node)
            }
        }
        // The timer that is calling must not be let go of in its own call.
        Task<Void, Never> { await self.watchAgain() }
    }

    private func watchAgain() async {
        cycleTimer = nil
        watchCycleLength()
    }
}
