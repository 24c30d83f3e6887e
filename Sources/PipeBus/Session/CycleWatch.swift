// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Polls the cycle's length and the rate while a latency follows from them. Confined to the loop.
///
/// Some sources, devices above all, declare their latency in cycles or in time, and a feedback link adds a cycle.
/// Latencies are published in frames. So their values, and the longest path, change with the cycle's length and the
/// rate. PipeWire reports neither to the control side.
final class CycleWatch {
    private static let interval: Duration = .milliseconds(40)

    private let ports: PortTable
    private let receivers: ReceiverKeeper
    private let refresh: Refresh
    private let timer: PollTimer
    private var isNeededInLoops = false
    /// The cycle size of the present latencies.
    private var cycle: CycleSize?

    init(on connection: SessionConnection, _ ports: PortTable, _ receivers: ReceiverKeeper, _ refresh: Refresh) {
        self.ports = ports
        self.receivers = receivers
        self.refresh = refresh
        timer = connection.makePollTimer()
    }

    /// Starts to poll if any latency follows from the cycle. Idempotent.
    ///
    /// - Parameter isNeeded: whether a latency elsewhere than at our own ports follows from the cycle.
    func update(isNeeded: Bool) {
        isNeededInLoops = isNeeded
        guard isNeededNow else { return }
        timer.start(after: Self.interval) { [unowned self] in poll() }
    }

    func stop() { timer.stop() }

    private var isNeededNow: Bool {
        isNeededInLoops || ports.contains { $0.declaration.inputs > 0 && $0.latencies.ledger.isAnyRelative }
    }

    private func poll() -> Duration? {
        for port in ports where port.latencies.ledger.isRelative {
            // The receiver's last cycle, not the graph's next one. It may have run fewer cycles than the graph.
            guard let receiver = port.receiver, receiver.cycle != receiver.memory.cycle else { continue }
            receivers.update(port)
        }
        if cycle != ports.cycleSize {
            cycle = ports.cycleSize
            refresh.mark(.latencies)
        }
        return isNeededNow ? Self.interval : nil
    }
}
