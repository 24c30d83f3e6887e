// SPDX-License-Identifier: MIT
import PipeWireClient

extension DaemonSession {
    /// What cycles are like now: all of our ports have one driver. `nil` before they have.
    var cycleSize: CycleSize? { ports.lazy.compactMap(\.node.cycleSize).first }

    /// Some sources, devices above all, declare their latency in cycles or in time, and a link in a loop costs a cycle: what
    /// that is in frames, which is how it is passed on, and which way is the longest, changes with the cycle's length and the
    /// rate. PipeWire reports neither on this side, so both are polled while there is such a source.
    func watchCycleLength() {
        guard cycleTimer == nil, isOpen,
            latencyWatch.isRelative || ports.contains(where: { $0.declaration.inputs > 0 && $0.latency.isAnyRelative })
        else { return }
        cycleTimer = LoopTimer(on: loop, after: .milliseconds(40)) { [unowned self] in pollCycleLength() }
    }

    private func pollCycleLength() {
        let cycle = cycleSize
        for node in ports {
            if let memory = node.receiver?.memory, node.latency.isRelative {
                // What it was given, not what comes next.
                let last = CycleSize(frameCount: memory.cycleLength, sampleRate: memory.sampleRate)
                if node.lastCycle != last {
                    node.lastCycle = last
                    updateReceiver(node)
                }
            }
        }
        if latencyWatch.cycle != cycle {
            latencyWatch.cycle = cycle
            reviewLatencies()
        }
        // The timer that is calling must not be let go of in its own call.
        jobs.add { [self] in rearmCycleTimer() }
    }

    private func rearmCycleTimer() {
        cycleTimer = nil
        watchCycleLength()
    }
}
