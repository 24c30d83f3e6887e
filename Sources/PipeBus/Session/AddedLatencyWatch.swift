// SPDX-License-Identifier: MIT

/// Polls the delays that the audio thread adds to ports, and lets them be published: those of blocks of a fixed size follow from
/// the cycle's length, which PipeWire reports to the audio thread alone, and those of a filter's input from its auxiliary inputs.
/// Confined to the loop.
final class AddedLatencyWatch {
    private static let interval: Duration = .milliseconds(40)

    private let ports: PortTable
    private let latencies: OwnLatencyKeeper
    private let receivers: ReceiverKeeper
    private let timer: PollTimer

    init(
        on connection: SessionConnection, _ ports: PortTable, _ latencies: OwnLatencyKeeper, _ receivers: ReceiverKeeper
    ) {
        self.ports = ports
        self.latencies = latencies
        self.receivers = receivers
        timer = connection.makePollTimer()
    }

    /// Starts to poll if such a port runs. Idempotent.
    func update() {
        guard isNeeded else { return }
        timer.start(after: Self.interval) { [unowned self] in poll() }
    }

    func stop() { timer.stop() }

    private var isNeeded: Bool { ports.contains { $0.memory.addsLatency && $0.isActive } }

    private func poll() -> Duration? {
        for port in ports where port.memory.addsLatency {
            align(port)
            latencies.update(port)
        }
        return isNeeded ? Self.interval : nil
    }

    /// Lets a filter's auxiliary inputs wait for its input, and for each other.
    private func align(_ port: LivePort) {
        guard let auxiliaries = port.memory.auxiliaries else { return }
        let age = port.links.hasIncoming ? port.inputLatency(in: ports.cycleSize) : 0
        auxiliaries.setInputAge(age)
        receivers.align(ports.filter { $0.declaration.auxiliaryOf == port.name }, inputAge: age)
    }
}
