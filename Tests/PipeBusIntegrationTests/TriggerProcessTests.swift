// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// Triggers of one app, seen and pressed by another.
final class TriggerProcessTests: SharingTestCase {
    private final class Presses: Sendable {
        let all = Mutex<[TriggerPress]>([])
        func add(_ press: TriggerPress) { all.withLock { $0.append(press) } }
        var count: Int { all.withLock(\.count) }
        var last: TriggerPress? { all.withLock { $0.last } }
    }

    func testAPressComesWithThePortsOfWhoPressed() async throws { try await press(.chosen) }
    func testAPressOn14() async throws { try await press(.newer()) }

    private func press(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let (app, giver) = (try await client("Recorder", on: daemon), try await client("Giver", on: daemon))
        for name in ["in", "other"] { _ = try await app.receiver(name, state: ()) { _, _, _ in } }
        let presses = Presses()
        let record = try await app.addTrigger(.record) { presses.add($0) }
        let peer = try await id(of: "Recorder", seenBy: giver)
        let triggers = try await giver.triggers(of: peer)
        XCTAssertEqual(triggers.map(\.id), ["record"])
        XCTAssertEqual(triggers.first?.face.title, "Record")

        try await giver.press("record", of: peer)
        try await eventually("a press") { presses.count == 1 }
        XCTAssertEqual(presses.last?.ports, [])
        XCTAssertEqual(presses.last?.peer?.name, "Giver")
        try await giver.connect("Giver:out", to: "Recorder:in")
        try await eventually("the connection") { await app.graph.connections.count == 1 }
        try await giver.press("record", of: peer)
        try await eventually("another press") { presses.count == 2 }
        XCTAssertEqual(presses.last?.ports, ["in"])

        try await record.setState(.disabled)
        await assertFailure(.refused, saying: "the trigger is disabled") {
            try await giver.press("record", of: peer)
        }
        await assertFailure(.unknownTrigger, saying: "Recorder has no trigger \"play\".") {
            try await giver.press("play", of: peer)
        }
        await assertFailure(.invalidArgument) { try await giver.press("a/b", of: peer) }
        await record.remove()
        await record.remove()
        await assertFailure(.unknownTrigger) { try await giver.press("record", of: peer) }
        await assertFailure(.closed) { try await record.setState(.normal) }
        XCTAssertEqual(presses.count, 2)
        await app.close()
        await assertFailure(.closed) { try await app.addTrigger(.play) { _ in } }
    }

    func testWhatIsAddedIsChecked() async throws {
        let app = try await client("App", on: try await startDaemon())
        await assertFailure(.invalidArgument, saying: "needs an identifier") {
            try await app.addTrigger(.button) { _ in }
        }
        await assertFailure(.invalidArgument, saying: "\"a b\" is no identifier of a trigger") {
            try await app.addTrigger(.button, id: "a b") { _ in }
        }
        await assertFailure(.invalidArgument, saying: "title of a trigger") {
            try await app.addTrigger(.play, face: TriggerFace(title: "")) { _ in }
        }
        for number in 0..<64 { try await app.addTrigger(.button, id: "\(number)") { _ in } }
        await assertFailure(.duplicateName) { try await app.addTrigger(.button, id: "7") { _ in } }
        await assertFailure(.invalidArgument, saying: "64 triggers already") {
            try await app.addTrigger(.play) { _ in }
        }
    }

    /// Also while others read the same app.
    func testTheFirstListIsWhole() async throws {
        let daemon = try await startDaemon()
        let (app, viewer) = (try await client("App", on: daemon), try await client("Viewer", on: daemon))
        try await app.addTrigger(.play) { _ in }
        try await app.addTrigger(.button, id: "bright", face: TriggerFace(title: "Bright")) { _ in }
        let peer = try await id(of: "App", seenBy: viewer)
        for _ in 0..<20 {
            async let other = viewer.triggers(of: peer)
            for await triggers in viewer.triggerUpdates(of: peer) {
                XCTAssertEqual(triggers.map(\.face.title), ["Play", "Bright"])
                break
            }
            let titles = try await other.map(\.face.title)
            XCTAssertEqual(titles, ["Play", "Bright"])
        }
    }

    func testAnObserverFollowsTheState() async throws {
        let daemon = try await startDaemon()
        let (app, viewer) = (try await client("App", on: daemon), try await client("Viewer", on: daemon))
        let peer = try await id(of: "App", seenBy: viewer)
        let lists = Mutex<[[String]]>([])
        let isEnded = Mutex(false)
        let reader = Task {
            for await triggers in viewer.triggerUpdates(of: peer) {
                lists.withLock { $0.append(triggers.map { "\($0.id) \($0.state) \($0.face.title)" }) }
            }
            isEnded.withLock { $0 = true }
        }
        try await eventually("no trigger") { lists.withLock { $0.last } == [] }
        let play = try await app.addTrigger(.play) { _ in }
        try await eventually("a trigger") { lists.withLock { $0.last } == ["play normal Play"] }
        try await play.setFace(TriggerFace(title: "Stop"), in: .selected)
        try await play.setState(.selected)
        try await eventually("its state") { lists.withLock { $0.last } == ["play selected Stop"] }
        try await play.setFace(TriggerFace(title: "Go"))
        try await play.setState(.normal)
        try await eventually("its state again") { lists.withLock { $0.last } == ["play normal Go"] }
        let present = try await play.present
        XCTAssertEqual(present.face.title, "Go")
        try await app.addTrigger(.rewind) { _ in }
        try await eventually("another") { lists.withLock { $0.last } == ["rewind normal Rewind", "play normal Go"] }
        await play.remove()
        try await eventually("one less") { lists.withLock { $0.last } == ["rewind normal Rewind"] }
        await app.close()
        try await eventually("the end") { isEnded.withLock { $0 } }
        reader.cancel()
        await assertFailure(.unknownApp) { _ = try await viewer.triggers(of: peer) }
    }

    /// Presses beyond those that wait are refused, and none of the others is lost.
    func testAnAppThatIsBusyGetsNoMoreThanItCanHold() async throws {
        let daemon = try await startDaemon()
        let (app, viewer) = (try await client("App", on: daemon), try await client("Viewer", on: daemon))
        let presses = Presses()
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        try await app.addTrigger(.play) { press in
            presses.add(press)
            for await _ in gate { break }
        }
        let peer = try await id(of: "App", seenBy: viewer)
        try await viewer.press("play", of: peer)
        try await eventually("the first") { presses.count == 1 }
        for _ in 0..<16 { try await viewer.press("play", of: peer) }
        await assertFailure(.refused, saying: "has not handled the presses before") {
            try await viewer.press("play", of: peer)
        }
        opening.finish()
        try await eventually("all of them") { presses.count == 17 }
    }

    /// Each of many presses at once is answered for itself: who pressed knows whether the app has it.
    func testPressesAtOnceAreAnsweredOneByOne() async throws { try await pressAtOnce(.chosen) }
    func testPressesAtOnceOn14() async throws { try await pressAtOnce(.newer()) }

    private func pressAtOnce(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let (app, viewer) = (try await client("App", on: daemon), try await client("Viewer", on: daemon))
        let presses = Presses()
        try await app.addTrigger(.play) { presses.add($0) }
        let peer = try await id(of: "App", seenBy: viewer)
        var taken = 0
        for _ in 0..<3 {
            taken += try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        do {
                            try await viewer.press("play", of: peer)
                            return 1
                        } catch let error as PipeBusError where error.code == .refused {
                            // So many may wait for a busy app. Any other error leaves the question open.
                            return 0
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
        }
        try await eventually("\(taken) presses") { presses.count == taken }
    }

    func testTheyAreBackAfterARestart() async throws {
        let daemon = try await startDaemon()
        let (app, viewer) = (try await client("App", on: daemon), try await client("Viewer", on: daemon))
        let presses = Presses()
        let trigger = try await app.addTrigger(.button, id: "next") { presses.add($0) }
        try await daemon.kill()
        try await eventually("the interruption") {
            if case .interrupted = app.state { true } else { false }
        }
        try await trigger.setState(.selected)
        try await app.addTrigger(.skip) { _ in }
        try await daemon.restart()
        try await eventually("the triggers") {
            guard let peer = await viewer.graph.peers.first(where: { $0.name == "App" }) else { return false }
            return (try? await viewer.triggers(of: peer.id).map(\.id)) == ["skip", "next"]
        }
        let peer = try await id(of: "App", seenBy: viewer)
        let states = try await viewer.triggers(of: peer).map(\.state)
        XCTAssertEqual(states, [.normal, .selected])
        try await viewer.press("next", of: peer)
        try await eventually("a press") { presses.count == 1 }
    }

    func testAnAppThatHangsIsGivenUp() async throws {
        let daemon = try await startDaemon()
        let app = try await Peer.start("Hung", on: daemon)
        try await app.addSender("out", .counting)
        try await app.perform(.addTrigger(id: "go"))
        let viewer = try await client("Viewer", on: daemon)
        let peer = try await id(of: "Hung", seenBy: viewer)
        app.process.signal(SIGSTOP)
        try await eventuallyStopped(app.process.pid)
        await assertFailure(.timedOut, saying: "Hung does not answer; it may be stopped.") {
            try await viewer.press("go", of: peer)
        }
        await assertFailure(.timedOut) { _ = try await viewer.triggers(of: peer) }
        app.process.signal(SIGCONT)
        try await eventually("a press") {
            do {
                try await viewer.press("go", of: peer)
                return true
            } catch {
                return false
            }
        }
    }

    /// `pw-metadata` presses a trigger, as Docs/Protocols.md describes it; nonsense changes nothing.
    func testAForeignProgramPresses() async throws {
        let daemon = try await startDaemon()
        let app = try await client("App", on: daemon)
        let presses = Presses()
        try await app.addTrigger(.play) { presses.add($0) }
        let objects = try await GraphDump.take(daemon).objects
        let name = try XCTUnwrap(
            objects.compactMap { $0.properties["metadata.name"] }.first { $0.hasPrefix("pipebus.org.pipebus.app.") })
        func write(_ arguments: String...) async throws {
            try await daemon.run("pw-metadata", ["-n", name] + arguments).waitForEnd()
        }
        try await write("0", "trigger/play/state", "disabled")
        try await write("0", "trigger/none/press", "0")
        try await write("0", "trigger/play/press/more", "0")
        try await write("0", "trigger/play/press", "0 1")
        try await eventually("a press") { presses.count == 1 }
        XCTAssertNil(presses.last?.peer)
        try await write("0", "trigger/play/press", "99999999999999999999999 x")
        try await eventually("another") { presses.count == 2 }
        try await write("-d", "0", "trigger/play/press")
        try await write("-d")
        let peer = try await id(of: "App", seenBy: app)
        let triggers = try await app.triggers(of: peer)
        XCTAssertEqual(triggers.map(\.state), [.normal])
        XCTAssertEqual(presses.count, 2)
    }
}
