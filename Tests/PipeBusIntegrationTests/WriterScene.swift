// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting

/// Senders for writers, one for each length of a block, and a capture of each on a lane of its own.
final class WriterScene {
    let stage: Stage
    let ports: [SenderPort]
    let input: ReceiverPort
    private let capture: Capture
    private(set) var connected: Set<Int> = []

    /// - Parameters:
    ///   - isPacedBefore: whether `pace` runs before the senders.
    ///   - pace: runs in every cycle of the writers' app, whatever is connected.
    static func start(
        isPacedBefore: Bool = false, pace: @escaping @Sendable (AudioCycle) -> Void = { _ in }
    ) async throws -> WriterScene {
        let stage = try await Stage.start()
        var ports: [SenderPort] = []
        let names = StreamMatrix.blockSizes.map { "out\($0)" }
        func addPace() async throws {
            _ = try await stage.givers.receiver(
                "pace", lanes: 1, keepsRunning: true, after: isPacedBefore ? [] : names, state: ()
            ) { _, cycle, _ in pace(cycle) }
        }
        if isPacedBefore { try await addPace() }
        for name in names {
            let port = try await stage.givers.sender(name, after: isPacedBefore ? ["pace"] : [])
            try await eventually("the sender to be seen") { await stage.taker.graph.port(port.id) != nil }
            ports.append(port)
        }
        if !isPacedBefore { try await addPace() }
        let capture = try await stage.taker.separateCapture(
            "in", lanes: ports.count, alignment: .immediate, fade: .none)
        return WriterScene(stage, ports, capture)
    }

    private init(_ stage: Stage, _ ports: [SenderPort], _ capture: Capture) {
        self.stage = stage
        self.ports = ports
        self.capture = capture
        input = capture.port
    }

    /// Connects a port that is not, or disconnects one that is. The writers' app knows it then, too.
    func toggle(_ number: Int) async throws {
        let (port, input, stage) = (ports[number], input, stage)
        if connected.remove(number) != nil {
            try await stage.taker.disconnect(port, from: input)
            try await eventually("the end of the connection to be seen") {
                await !stage.givers.graph.connections.contains { $0.source == port.id }
            }
        } else {
            try await stage.taker.connect(port, to: input)
            try await stage.showToGivers(port, input)
            connected.insert(number)
        }
    }

    func connectAll() async throws {
        for number in ports.indices where !connected.contains(number) { try await toggle(number) }
    }

    /// Takes all that came, with the number of the port.
    func readAll(_ body: (_ port: Int, _ block: CaptureBlock) -> Void) throws {
        while let block = capture.read() {
            guard let number = ports.firstIndex(where: { $0.id == block.source }) else {
                throw TestKitError("a block of an unknown source")
            }
            body(number, block)
        }
    }
}
