// SPDX-License-Identifier: MIT
import ConnectionGraph
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// An app that hears itself: refused where it asks us, removed once where somebody else does it, and silent if they insist.
final class SelfConnectionTests: DaemonTestCase {
    /// An app whose sender gives 0.5 all the time, and a filter of another app in another process that passes on.
    private struct Scene {
        var graph: SteppedGraph
        var app: BusClient
        var out: SenderPort
        var input: ReceiverPort
        var hearing: Hearing
        /// What the sender's block was told in its last cycle.
        var wasTold: Flag
        var notices: NoticeLog
        var other: Peer
        var third: Peer

        func notices(_ count: Int) async throws -> [Notice.Kind] {
            try await eventually("\(count) notices") { notices.all.count >= count }
            return notices.all.map(\.kind)
        }

        func link(_ source: String, _ destination: String) async throws {
            try await graph.run("pw-link", ["\(source):output_MONO", "\(destination)_MONO"])
        }

        func close() async throws {
            await app.close()
            try await graph.close()
        }
    }

    private func makeScene(allowed: Bool = false) async throws -> Scene {
        let graph = try await SteppedGraph.start(installation: .chosen)
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: graph.remote, allowsConnectionsToSelf: allowed)
        let wasTold = Flag()
        let out = try await app.sender("out", channels: .mono, state: ()) { _, cycle, output in
            var samples = output[0]
            for frame in samples.indices { samples[frame] = 0.5 }
            if cycle.isConnectedToSelf { wasTold.raise() }
        }
        let hearing = Hearing()
        let input = try await hearing.mixed(on: app, panLaw: .balance)
        let notices = NoticeLog(app.notices)
        let other = try await graph.peer("Other")
        try await other.addFilter("fx")
        let third = try await graph.peer("Third")
        try await third.addSender("tone", .constant(0.25))
        try await eventually("the other app to be seen") { await app.graph.ports.count == 4 }
        return Scene(
            graph: graph, app: app, out: out, input: input, hearing: hearing, wasTold: wasTold, notices: notices,
            other: other, third: third)
    }

    private func assertRefused(
        saying words: String, file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            XCTFail("nothing was refused", file: file, line: line)
        } catch let error as PipeBusError {
            XCTAssertEqual(error.code, .selfConnection, file: file, line: line)
            XCTAssertTrue(error.message.contains(words), error.message, file: file, line: line)
        } catch let error as Peer.Failure {
            XCTAssertEqual(error.code, "selfConnection", file: file, line: line)
            XCTAssertTrue(error.description.contains(words), error.description, file: file, line: line)
        } catch {
            XCTFail("\(error)", file: file, line: line)
        }
    }

    // MARK: Refused

    func testWhatWouldConnectAnAppToItselfIsRefusedInEveryApp() async throws {
        let scene = try await makeScene()
        await assertRefused(saying: "are ports of one app") { try await scene.app.connect(scene.out, to: scene.input) }
        await assertRefused(saying: "are ports of one app") { try await scene.other.join("App.out", to: "App.in") }
        try await scene.other.join("App.out", to: "Other.fx")
        await assertRefused(saying: "from App out to App in") {
            try await scene.app.connect("Other.fx", to: scene.input)
        }
        await assertRefused(saying: "from App out to App in") { try await scene.other.join("Other.fx", to: "App.in") }
        try await scene.app.disconnect(scene.out, from: "Other.fx")
        try await scene.other.join("Other.fx", to: "App.in")
        await assertRefused(saying: "App would hear itself") { try await scene.app.connect(scene.out, to: "Other.fx") }
        // And what is not a connection to itself is made.
        try await scene.app.connect("Third.tone", to: "Other.fx")
        try await scene.close()
    }

    func testTwoConnectionsThatCloseAWayBackTogetherAreNotBothMade() async throws {
        let scene = try await makeScene()
        for _ in 0..<10 {
            async let there = Result.of { try await scene.app.connect(scene.out, to: "Other.fx") }
            async let back = Result.of { try await scene.app.connect("Other.fx", to: scene.input) }
            let failures = await [there, back].compactMap(\.failure)
            XCTAssertEqual(failures.map { ($0 as? PipeBusError)?.code }, [.selfConnection])
            for connection in await scene.app.graph.connections {
                try await scene.app.disconnect(connection.source, from: connection.destination)
            }
        }
        XCTAssertEqual(scene.notices.all, [])
        try await scene.close()
    }

    func testTwoClientsInOneProcessAreOneApp() async throws {
        let scene = try await makeScene()
        let second = try await BusClient.connect(as: "org.pipebus.second", name: "Second", remote: scene.graph.remote)
        let port = try await second.sender("out", channels: .mono, state: ()) { _, _, _ in }
        await assertRefused(saying: "are ports of one app") { try await second.connect(port, to: "App.in") }
        await second.close()
        try await scene.close()
    }

    func testTwoProcessesOfAnAppAreOneIfBothSaySo() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        for (first, second) in [(true, true), (true, false), (false, false)] {
            let one = try await graph.peer("One", app: "org.pipebus.two", isOneApp: first)
            let two = try await graph.peer("Two", app: "org.pipebus.two", isOneApp: second)
            try await one.addSender("out", .constant(0.5))
            try await two.addReceiver("in")
            if first && second {
                await assertRefused(saying: "are ports of one app") { try await one.join("One.out", to: "Two.in") }
            } else {
                try await one.join("One.out", to: "Two.in")
            }
            try await one.close()
            try await two.close()
        }
        try await graph.close()
    }

    // MARK: Made by others

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
        XCTAssertFalse(scene.wasTold.isRaised)

        // Somebody insists.
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
        XCTAssertTrue(scene.wasTold.isRaised)
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
        // And with it again it is silent again, and that is told again.
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
        // Somebody insists again: what shares a lane with the app's own sound is silent with it.
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
        // It may read all, and change nothing but by what it says to the daemon itself.
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
            for await sources in input.meters { return sources.contains { $0.peak > 0.4 } }
            return false
        }
        let state = try await out.state
        XCTAssertEqual(state.selfConnection, .unknown)
        XCTAssertFalse(out.isConnectedToSelf)
        XCTAssertEqual(notices.all.count, 1, "once is enough")
        await bus.close()
    }

    // MARK: Allowed

    func testWhereItIsAllowedItWorks() async throws {
        let scene = try await makeScene(allowed: true)
        try await scene.app.connect(scene.out, to: scene.input)
        try await eventually("both ends to know") { scene.out.isConnectedToSelf && scene.input.isConnectedToSelf }
        try await scene.graph.settle()
        try await scene.graph.step([(256, 8)])
        XCTAssertTrue(scene.wasTold.isRaised)
        XCTAssertEqual(Set(scene.hearing.mix().suffix(1024)), [0.5])
        XCTAssertEqual(scene.notices.all, [])
        try await scene.close()
    }

    /// With the sender after the receiver the way back closes a loop, which costs a cycle: the latency says so.
    func testTheCycleThatAWayBackCostsIsInTheLatency() async throws {
        let scene = try await makeScene(allowed: true)
        let answer = try await scene.app.sender("answer", channels: .mono, after: ["in"], state: ()) {
            _, cycle, output in
            var samples = output[0]
            for frame in samples.indices { samples[frame] = Float((Int(cycle.position) + frame) % 4096) / 4096 }
        }
        try await scene.app.connect(answer, to: scene.input)
        try await scene.graph.settle()
        for frames in [256, 64] {
            try await scene.graph.step([(frames, 4)])
            try await eventually("a latency of \(frames) frames") {
                try await scene.input.sources.map(\.latencyRange.frames) == [frames...frames]
            }
            scene.hearing.forget()
            try await scene.graph.step([(frames, 4)])
            for moment in scene.hearing.moments {
                let expected = (0..<frames).map { Float((Int(moment.start) + $0 - frames) % 4096) / 4096 }
                assertSamples(moment.mix[0], equal: expected)
                XCTAssertEqual(moment.timestamp?.position, moment.start - Int64(frames))
            }
        }
        try await scene.close()
    }
}

extension Result where Failure == any Error {
    fileprivate static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    fileprivate var failure: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// The samples that a block was given, each once.
private final class Heard: Sendable {
    private let kept = Mutex<Set<Float>>([])

    var samples: Set<Float> { kept.withLock { $0 } }

    func note(_ sample: Float) { _ = kept.withLock { $0.insert(sample) } }
}
