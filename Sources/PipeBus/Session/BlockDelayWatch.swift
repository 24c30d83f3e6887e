// SPDX-License-Identifier: MIT

/// Polls the delays of ports whose block has a fixed size, and lets them be published: they follow from the cycle's length, and
/// PipeWire reports that to the audio thread alone. Confined to the loop.
final class BlockDelayWatch {
    private static let interval: Duration = .milliseconds(40)

    private let ports: PortTable
    private let latencies: OwnLatencyKeeper
    private let timer: PollTimer

    init(on connection: SessionConnection, _ ports: PortTable, _ latencies: OwnLatencyKeeper) {
        self.ports = ports
        self.latencies = latencies
        timer = connection.makePollTimer()
    }

    /// Starts to poll if such a port runs. Idempotent.
    func update() {
        guard isNeeded else { return }
        timer.start(after: Self.interval) { [unowned self] in poll() }
    }

    func stop() { timer.stop() }

    private var isNeeded: Bool { ports.contains { $0.memory.blocks != nil && $0.isActive } }

    private func poll() -> Duration? {
        for port in ports where port.memory.blocks != nil { latencies.update(port) }
        return isNeeded ? Self.interval : nil
    }
}
