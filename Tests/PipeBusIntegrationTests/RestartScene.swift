// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// An app with all that can be asked for: a filter that is bypassed, a receiver with levels, and a sender that runs after it
/// and gives what came in. Its sources and the listener at its end are another app's.
struct RestartScene {
    let stage: Stage
    let input: ReceiverPort
    let ports: [LocalPort]
    private let listener: ReceiverPort
    private let hearing: Hearing
    private let back: Hearing

    /// All values and their sums are exact.
    private static func sample(_ source: Int64, _ position: Int64) -> Float {
        Float((position * (2 * source + 1)) & 0xFFF) / 4096
    }

    static func start(installation: PipeWireInstallation) async throws -> RestartScene {
        let stage = try await Stage.start(installation: installation)
        let (hearing, back) = (Hearing(), Hearing())
        let a = try await stage.sender("a") { position, _ in sample(0, position) }
        let b = try await stage.sender("b", latency: 480) { position, _ in sample(1, position) }
        let c = try await stage.sender("c") { position, _ in sample(2, position) }
        let listener = try await back.mixed(on: stage.givers, "back", alignment: .immediate)
        let taker = stage.taker
        let fx = try await taker.filter("fx", inputs: .mono, latency: 64, fade: .none, state: ()) { _, _, _, _ in }
        let input = try await hearing.mixed(on: taker)
        let last = LastMix(hearing)
        let output = try await taker.sender(
            "out", title: "What came in", channels: .mono, latency: .following("in"), state: ()
        ) { _, _, output in
            let mix = last.samples
            for frame in 0..<min(mix.count, output.frameCount) { output[0, frame] = mix[frame] }
        }
        try await eventually("the listener to be seen") { await taker.graph.port(listener.id) != nil }
        for source in [a, b] { try await taker.connect(source, to: input) }
        try await taker.connect(c, to: fx)
        try await taker.connect(fx, to: input)
        try await taker.connect(output, to: listener)
        try await input.setVolume(0.5, for: a.id)
        try await input.setVolume(0.25, for: b.id)
        try await input.setTitle("All of it")
        try await input.setMonitoring(true)
        try await output.setFromLiveSource(true)
        try await fx.setBypassed(true)
        return RestartScene(
            stage: stage, input: input, ports: [fx, input, output], listener: listener, hearing: hearing, back: back)
    }

    /// The newest mix, for a block that runs after the receiver's in the same cycle.
    private struct LastMix: Sendable {
        let hearing: Hearing
        init(_ hearing: Hearing) { self.hearing = hearing }
        var samples: [Float] { hearing.moments.last?.mix[0] ?? [] }
    }

    /// Another app's view of this one, without values of a single session.
    var description: [String] {
        get async throws {
            let graph = await stage.taker.graph
            return graph.ports.filter { $0.nodeName.hasPrefix("Taker.") }.map { port in
                let sources = graph.sources(of: port.id).map(\.nodeName).sorted()
                let destinations = graph.destinations(of: port.id).map(\.nodeName).sorted()
                return "\(port.kind) \(port.nodeName) “\(port.title)” \(port.isMonitoring) \(port.isLiveSource) "
                    + "\(port.isBypassed) \(port.laneCount) from \(sources) to \(destinations)"
            }
        }
    }

    func setListenerMonitoring(_ isMonitoring: Bool) async throws { try await listener.setMonitoring(isMonitoring) }

    /// The sources' generations on the receiver's lanes.
    func generations() async throws -> [UInt64] {
        try await stage.step(64, cycles: 2)
        return hearing.moments.last?.generations ?? []
    }

    func assertGone() async throws {
        for port in ports { XCTAssertNil(port.graphID) }
        try await eventually("the app to be gone") {
            await stage.givers.graph.ports.allSatisfy { !$0.nodeName.hasPrefix("Taker.") }
        }
        hearing.forget()
        try await stage.step(256, cycles: 3)
        XCTAssertEqual(hearing.moments.count, 0, "no block runs any more")
    }

    func assertConnected() async throws {
        try await eventually("everything to be seen by the other app") {
            let graph = await stage.givers.graph
            return graph.sources(of: input.id).count == 3 && graph.destinations(of: ports[2].id).count == 1
        }
        try await input.reports(latencies: [0, 64, 480])
    }

    /// Compares the mix, and what the sender makes of it in the same cycle, with what each position must give.
    func assertExact(file: StaticString = #filePath, line: UInt = #line) async throws {
        try await stage.graph.settle()
        try await stage.step(256, cycles: 12)
        hearing.forget()
        back.forget()
        for frames in [256, 64, 1024, 16] { try await stage.step(frames, cycles: 3) }
        let moments = hearing.moments
        XCTAssertEqual(moments.count, 12, file: file, line: line)
        for moment in moments {
            let expected = (0..<Int64(moment.cycle.frameCount)).map { frame in
                let made = moment.start + frame - 480
                return 0.5 * Self.sample(0, made) + 0.25 * Self.sample(1, made) + Self.sample(2, made)
            }
            assertSamples(moment.mix[0], equal: expected, file: file, line: line)
            XCTAssertEqual(moment.timestamp?.position, moment.start - 480, file: file, line: line)
        }
        assertSamples(back.mix(), equal: hearing.mix(), file: file, line: line)
    }

    func close() async throws { try await stage.close() }
}
