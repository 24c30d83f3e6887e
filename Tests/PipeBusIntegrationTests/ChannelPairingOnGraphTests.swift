// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Connections whose channels are not paired by the rule: what is heard, and that they come back as they were.
final class ChannelPairingOnGraphTests: DaemonTestCase {
    private struct Apps {
        let daemon: HeadlessPipeWire
        let giver: BusClient
        let taker: BusClient
        let output: SenderPort
        let mono: ReceiverPort
        let stereo: ReceiverPort
        /// The first sample of each channel of each mix, in its last cycle.
        let heard: [String: Box<[Float]>]

        func close() async {
            await giver.close()
            await taker.close()
        }

        func isHeard(_ samples: [Float], at port: ReceiverPort) -> Bool { heard[port.name]?.value == samples }

        /// The links between two ports, by the numbers of their channels.
        func links(to port: ReceiverPort) async -> [[Int]] {
            guard let from = output.graphID, let to = port.graphID else { return [] }
            let links = await taker.graph.connection(from: from, to: to)?.links ?? []
            return links.map { [$0.output, $0.input] }.sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    /// A sender of 0.25 left and 0.5 right, which floats add up exactly.
    private func start(on installation: PipeWireInstallation = .chosen) async throws -> Apps {
        let daemon = try await startDaemon(installation: installation)
        let giver = try await BusClient.connect(
            as: "org.pipebus.giver", name: "Giver", remote: daemon.remote, allowsConnectionsToSelf: true)
        let taker = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: daemon.remote, allowsConnectionsToSelf: true)
        let output = try await giver.sender("out", channels: .stereo, state: ()) { _, _, output in
            output.fill(0) { _ in 0.25 }
            output.fill(1) { _ in 0.5 }
        }
        let heard = ["mono": Box<[Float]>([]), "stereo": Box<[Float]>([])]
        let (mono, stereo) = (heard["mono"]!, heard["stereo"]!)
        return Apps(
            daemon: daemon, giver: giver, taker: taker, output: output,
            mono: try await taker.receiver("mono", channels: .mono, state: ()) { _, _, mix in mono.value = [mix[0][0]]
            },
            stereo: try await taker.receiver("stereo", channels: .stereo, panLaw: .balance, state: ()) { _, _, mix in
                stereo.value = [mix[0][0], mix[1][0]]
            },
            heard: heard)
    }

    private func assertThrowsPipeBus(
        _ code: PipeBusError.Code, saying words: String = "", line: UInt = #line, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            XCTFail("it did not throw", line: line)
        } catch {
            XCTAssertEqual((error as? PipeBusError)?.code, code, "\(error)", line: line)
            if !words.isEmpty { XCTAssertTrue("\(error)".contains(words), "\(error)", line: line) }
        }
    }

    func testWhatEachPairingSoundsLike() async throws {
        let apps = try await start()
        for (pairing, port, samples, links) in [
            (.matching, apps.stereo, [0.25, 0.5], [[0, 0], [1, 1]]),
            (.crossed, apps.stereo, [0.5, 0.25], [[0, 1], [1, 0]]),
            (.downmix(), apps.mono, [0.75], [[0, 0], [1, 0]]),
            (.downmix(into: "R"), apps.stereo, [0, 0.75], [[0, 1], [1, 1]]),
            (.single(output: "R"), apps.stereo, [0.5, 0.5], [[1, 0], [1, 1]]),
            (.single(output: "R"), apps.mono, [0.5], [[1, 0]]),
            (.single(output: "FL", input: "FR"), apps.stereo, [0, 0.25], [[0, 1]]),
        ] as [(ChannelPairing, ReceiverPort, [Float], [[Int]])] {
            let connection = try await apps.taker.connect(apps.output, to: port, channels: pairing)
            XCTAssertEqual(connection.links.count, links.count, "\(pairing)")
            let present = await apps.links(to: port)
            XCTAssertEqual(present, links, "\(pairing)")
            try await eventually("\(pairing) to be heard, not \(apps.heard[port.name]?.value ?? [])") {
                apps.isHeard(samples, at: port)
            }
            try await apps.taker.disconnect(apps.output, from: port)
            let left = await apps.taker.graph.connections
            XCTAssertEqual(left, [])
        }
        await apps.close()
    }

    func testWhatDoesNotFitLeavesNoLink() async throws {
        let apps = try await start()
        await assertThrowsPipeBus(.channelMismatch, saying: "mix them down, or name the channels") {
            try await apps.taker.connect(apps.output, to: apps.mono)
        }
        await assertThrowsPipeBus(.channelMismatch) {
            try await apps.taker.connect(apps.output, to: apps.stereo, channels: .downmix())
        }
        await assertThrowsPipeBus(.invalidArgument, saying: "Giver out has no channel \"LFE\"; it has FL, FR.") {
            try await apps.taker.connect(apps.output, to: apps.mono, channels: .single(output: "LFE"))
        }
        await assertThrowsPipeBus(.invalidArgument, saying: "Taker mono has no channel \"FR\"; it has MONO.") {
            try await apps.taker.connect(apps.output, to: apps.mono, channels: .crossed)
        }
        let connections = await apps.taker.graph.connections
        XCTAssertEqual(connections, [])
        await apps.close()
    }

    func testConnectionsComeBackAsTheyWere() async throws {
        try await restart(lingers: false, on: .chosen)
    }

    func testConnectionsComeBackAsTheyWereOnANewerPipeWire() async throws {
        try await restart(lingers: false, on: .newer())
    }

    /// Those of a patchbay, which the apps at their ends make again.
    func testConnectionsOfAPatchbayComeBackAsTheyWere() async throws {
        try await restart(lingers: true, on: .chosen)
    }

    private func restart(lingers: Bool, on installation: PipeWireInstallation) async throws {
        let apps = try await start(on: installation)
        let patchbay = try await BusClient.connect(
            as: "org.pipebus.patchbay", name: "Patchbay", remote: apps.daemon.remote, allowsConnectionsToSelf: true)
        let maker = lingers ? patchbay : apps.taker
        try await maker.connect("Giver", to: "Taker/mono", channels: .downmix(), lingers: lingers)
        try await maker.connect("Giver", to: "Taker/stereo", channels: .crossed, lingers: lingers)
        await patchbay.close()
        // Whoever connects the two again changes nothing.
        await assertThrowsPipeBus(.alreadyConnected) { try await apps.taker.connect("Giver", to: apps.stereo) }
        let made = ContinuousClock.now
        // A younger connection of another program is not made again.
        try await eventually("them to be old enough") { made.duration(to: .now) > .milliseconds(1100) }
        for round in 1...2 {
            try await eventually("sound, round \(round)") {
                apps.isHeard([0.75], at: apps.mono) && apps.isHeard([0.5, 0.25], at: apps.stereo)
            }
            try await apps.daemon.kill()
            try await eventually("the ports to be out of the graph") {
                apps.mono.graphID == nil && apps.stereo.graphID == nil && apps.output.graphID == nil
            }
            for box in apps.heard.values { box.value = [] }
            try apps.daemon.startAgain()
            try await eventually("the connections, round \(round)") {
                let links = (await apps.links(to: apps.mono), await apps.links(to: apps.stereo))
                return links.0 == [[0, 0], [1, 0]] && links.1 == [[0, 1], [1, 0]]
            }
        }
        try await eventually("sound at the end") {
            apps.isHeard([0.75], at: apps.mono) && apps.isHeard([0.5, 0.25], at: apps.stereo)
        }
        let sources = try await (apps.mono.sources.count, apps.stereo.sources.count)
        XCTAssertEqual(sources.0, 1)
        XCTAssertEqual(sources.1, 1)
        await apps.close()
    }
}
