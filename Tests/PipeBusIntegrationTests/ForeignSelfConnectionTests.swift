// SPDX-License-Identifier: MIT
import ConnectionGraph
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// An app that hears itself through links of other programs: removed once, and silenced if they are made again.
final class ForeignSelfConnectionTests: SelfConnectionTestCase {
    func testMadeByAnotherPatchbayItIsRemovedOnceAndThenSilent() async throws {
        let scene = try await makeScene()
        try await scene.app.connect("Third.tone", to: scene.input)
        try await scene.link("App.out", "App.in:input_2")
        let first = try await scene.notices(1)
        XCTAssertEqual(first, [.selfConnectionRemoved])
        try await eventually("the link to go") { await scene.app.graph.connections.count == 1 }
        var state = try await scene.out.state
        XCTAssertEqual(state.selfConnection, .no)
        try await scene.graph.settle()
        try await scene.graph.step([(256, 4)])
        XCTAssertFalse(scene.wasConnectedToSelf.isRaised)

        // Another client makes the link again.
        try await scene.link("App.out", "App.in:input_2")
        let second = try await scene.notices(2)
        XCTAssertEqual(second, [.selfConnectionRemoved, .selfConnectionSilenced])
        try await eventually("both ends to know") { scene.out.isConnectedToSelf && scene.input.isConnectedToSelf }
        try await scene.graph.settle()
        try await scene.graph.step([(256, 20)])
        let graph = await scene.app.graph
        XCTAssertNotNil(graph.connection(from: scene.out.id, to: scene.input.id), "it is left now")
        state = try await scene.input.state
        XCTAssertEqual(state.selfConnection, .yes)
        let sources = try await scene.input.sources
        XCTAssertEqual(sources.map(\.isFromSelf), [.no, .yes])
        // On the audio thread too, and in no cycle a sample of it.
        XCTAssertTrue(scene.wasConnectedToSelf.isRaised)
        XCTAssertEqual(scene.hearing.moments.last?.cycle.isConnectedToSelf, true)
        XCTAssertEqual(Set(scene.hearing.mix()), [0.25])

        try await scene.graph.run("pw-link", ["-d", "App.out:output_MONO", "App.in:input_2_MONO"])
        try await eventually("both ends to know") { !scene.out.isConnectedToSelf && !scene.input.isConnectedToSelf }
        try await scene.graph.step([(256, 4)])
        XCTAssertEqual(scene.hearing.moments.last?.cycle.isConnectedToSelf, false)
        XCTAssertEqual(Set(scene.hearing.mix()), [0.25])
        try await scene.close()
    }

    func testThroughAFilterOfAnotherAppItIsRemovedWhereItComesBack() async throws {
        let scene = try await makeScene()
        // In either order.
        try await scene.link("App.out", "Other.fx:input")
        try await scene.link("Other.fx", "App.in:input_1")
        var kinds = try await scene.notices(1)
        XCTAssertEqual(kinds, [.selfConnectionRemoved])
        try await eventually("the link to go") { await scene.app.graph.connections.count == 1 }
        try await scene.app.disconnect(scene.out, from: "Other.fx")
        try await scene.link("Other.fx", "App.in:input_1")
        try await scene.link("App.out", "Other.fx:input")
        kinds = try await scene.notices(2)
        XCTAssertEqual(kinds, [.selfConnectionRemoved, .selfConnectionSilenced], "that one came back")
        try await eventually("both ends to know") { scene.out.isConnectedToSelf && scene.input.isConnectedToSelf }
        try await scene.graph.settle()
        try await scene.graph.step([(256, 20)])
        XCTAssertEqual(Set(scene.hearing.mix()), [0])
        XCTAssertEqual(scene.hearing.moments.last?.cycle.isConnectedToSelf, true)
        // Without the way back it is heard.
        try await scene.app.disconnect(scene.out, from: "Other.fx")
        try await scene.app.connect("Third.tone", to: "Other.fx")
        try await eventually("both ends to know") { !scene.out.isConnectedToSelf && !scene.input.isConnectedToSelf }
        try await scene.graph.settle()
        scene.hearing.forget()
        try await scene.graph.step([(256, 20)])
        XCTAssertEqual(Set(scene.hearing.mix()), [0.25])
        // With the link it is silent again, and that is reported again.
        try await scene.link("App.out", "Other.fx:input")
        kinds = try await scene.notices(3)
        XCTAssertEqual(kinds.last, .selfConnectionSilenced)
        try await scene.graph.settle()
        try await scene.graph.step([(256, 20)])
        scene.hearing.forget()
        try await scene.graph.step([(256, 4)])
        XCTAssertEqual(Set(scene.hearing.mix()), [0])
        try await scene.close()
    }

    /// Linked to a lane that has a source already, it is moved to one of its own before it is silenced.
    func testTheOtherSourceOfItsLaneIsHeardOn() async throws {
        let scene = try await makeScene()
        try await scene.app.connect("Third.tone", to: scene.input)
        try await scene.link("App.out", "App.in:input_1")
        let first = try await scene.notices(1)
        try await eventually("the link to go") { await scene.app.graph.connections.count == 1 }
        XCTAssertEqual(first, [.selfConnectionRemoved], "there is nothing to move")
        try await scene.link("App.out", "App.in:input_1")
        let kinds = try await scene.notices(3)
        XCTAssertEqual(Set(kinds), [.selfConnectionRemoved, .linkMoved, .selfConnectionSilenced])
        try await scene.graph.settle()
        scene.hearing.forget()
        try await scene.graph.step([(256, 20)])
        let sources = try await scene.input.sources
        XCTAssertEqual(sources.map(\.lane), [0, 1])
        XCTAssertEqual(sources.map(\.isFromSelf), [.no, .yes])
        XCTAssertEqual(Set(scene.hearing.mix()), [0.25])
        // The link is made again: a source that shares a lane with the app's own sound is silent with it.
        try await scene.link("App.out", "App.in:input_1")
        _ = try await scene.notices(4)
        XCTAssertEqual(scene.notices.all.last?.kind, .laneShared)
        let shared = try await scene.input.sources
        XCTAssertEqual(shared.map(\.isFromSelf), [.yes, .yes])
        try await scene.graph.settle()
        scene.hearing.forget()
        try await scene.graph.step([(256, 20)])
        XCTAssertEqual(Set(scene.hearing.mix()), [0])
        try await scene.close()
    }

    func testWhatTheDaemonDoesNotLetUsRemoveIsSilent() async throws {
        let scene = try await makeScene()
        try await scene.app.connect("Third.tone", to: scene.input)
        let clients = try await GraphDump.take(scene.graph).objects.filter {
            $0.type == "Client" && $0.properties["application.name"] == "App"
        }
        // It may read every object, and change none except by messages to the daemon itself.
        for client in clients {
            for (object, permissions) in [("0", "448"), ("-1", "256")] {
                try await scene.graph.run("pw-cli", ["--", "permissions", "\(client.id)", object, permissions])
            }
        }
        try await scene.link("App.out", "App.in:input_2")
        let kinds = try await scene.notices(2)
        XCTAssertEqual(kinds, [.selfConnectionRemoved, .selfConnectionSilenced])
        try await scene.graph.settle()
        try await scene.graph.step([(256, 20)])
        let graph = await scene.app.graph
        XCTAssertNotNil(graph.connection(from: scene.out.id, to: scene.input.id))
        XCTAssertEqual(Set(scene.hearing.mix()), [0.25])
        try await scene.close()
    }

    /// A filter has no lanes: while a part of its input comes from its own app, it hears nothing.
    func testAFilterHearsNothingOfItsOwnApp() async throws {
        let scene = try await makeScene()
        let heard = Heard()
        _ = try await scene.app.filter("own", inputs: .mono, state: ()) { _, _, input, output in
            var samples = output[0]
            let from = input[0]
            for frame in samples.indices {
                samples[frame] = from[frame]
                heard.note(from[frame])
            }
        }
        try await scene.other.addReceiver("end")
        try await scene.other.join("App.own", to: "Other.end")
        try await scene.link("App.out", "App.own:input")
        _ = try await scene.notices(1)
        try await eventually("the link to go") { await scene.app.graph.connections.count == 1 }
        try await scene.link("App.out", "App.own:input")
        let kinds = try await scene.notices(2)
        XCTAssertEqual(kinds, [.selfConnectionRemoved, .selfConnectionSilenced])
        try await scene.graph.settle()
        try await scene.graph.step([(256, 20)])
        XCTAssertEqual(heard.samples, [0])
        try await scene.close()
    }

    func testThroughSomethingElseItIsReportedAndLeftAlone() async throws {
        let daemon = try await startDaemon(.init(quantum: 256, hasNullSink: true))
        let bus = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        let out = try await bus.sender("out", state: ()) { _, _, output in
            for channel in 0..<output.count {
                var samples = output[channel]
                for frame in samples.indices { samples[frame] = 0.5 }
            }
        }
        let input = try await bus.receiver("in", state: ()) { _, _, _ in }
        let notices = NoticeLog(bus.notices)
        try await bus.connect("null-sink", to: input)
        try await bus.connect(out, to: "null-sink")
        try await eventually("a notice") { notices.all.map(\.kind) == [.selfConnectionPossible] }
        try await eventually("it to be heard") {
            for await readings in input.meters { return readings.contains { $0.meter.peak > 0.4 } }
            return false
        }
        let state = try await out.state
        XCTAssertEqual(state.selfConnection, .unknown)
        XCTAssertFalse(out.isConnectedToSelf)
        XCTAssertEqual(notices.all.count, 1, "once is enough")
        await bus.close()
    }
}

/// The samples that a block was given, each once.
private final class Heard: Sendable {
    private let kept = Mutex<Set<Float>>([])

    var samples: Set<Float> { kept.withLock { $0 } }

    func note(_ sample: Float) { _ = kept.withLock { $0.insert(sample) } }
}
