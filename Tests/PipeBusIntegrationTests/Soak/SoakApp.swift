// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting

/// A program of the soak: a `bus-peer`, or a `clock-sender`. When its process ends, another one takes its name.
final class SoakApp {
    let name: String
    let isForeign: Bool
    private(set) var ports: [SoakPort] = []
    private(set) var peer: Peer?
    private(set) var sender: ClockSender?
    private(set) var generation = 0

    init(_ name: String, isForeign: Bool = false) {
        self.name = name
        self.isForeign = isForeign
    }

    var process: ChildProcess? { peer?.process ?? sender?.process }
    /// Whether its process runs, as far as is known.
    var isRunning: Bool { process.map { $0.ending == nil } ?? false }

    /// Starts a process with these ports.
    func start(_ ports: [SoakPort], on daemon: HeadlessPipeWire) async throws {
        generation += 1
        self.ports = ports
        guard !isForeign else {
            sender = try await ClockSender.start(name, in: daemon.environment(client: daemon.installation))
            return
        }
        let peer = try await Peer.start(name, on: daemon, client: daemon.installation)
        self.peer = peer
        for port in ports {
            let signal = PeerSignal(SumProbe.signal, by: .sum)
            switch port.kind {
            case .sender:
                try await peer.addSender(port.name, SumProbe.signal, by: .position)
            case .filter:
                try await peer.perform(.addFilter(name: port.name, channels: 1, expecting: signal))
            case .receiver:
                try await peer.perform(
                    .addReceiver(name: port.name, channels: 1, lanes: SoakPort.lanes, expecting: signal))
            }
        }
    }

    /// Waits for the end of the process.
    func waitForEnd() async throws {
        try await process?.waitForEnd()
        peer = nil
        sender = nil
        ports = []
    }

    func close() async throws {
        process?.closeInput()
        try await waitForEnd()
    }
}
