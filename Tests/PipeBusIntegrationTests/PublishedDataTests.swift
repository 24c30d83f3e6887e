// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import Synchronization
import XCTest

/// What an app publishes, as other processes see it.
final class PublishedDataTests: SharingTestCase {
    /// The changes that a reader gets.
    private final class Log: Sendable {
        let changes = Mutex<[PublishedDataChange]>([])
        let isEnded = Mutex(false)

        var keys: [String] { changes.withLock { $0.map { "\($0.kind) \($0.key) \($0.bytes?.count ?? -1)" } } }

        func read(_ updates: Updates<PublishedDataChange>) -> Task<Void, Never> {
            Task {
                for await change in updates { changes.withLock { $0.append(change) } }
                isEnded.withLock { $0 = true }
            }
        }
    }

    func testValuesOfAllSizesAreReadByAnotherProcess() async throws { try await read(.chosen) }
    func testValuesOfAllSizesOn14() async throws { try await read(.newer()) }

    private func read(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let app = try await Peer.start("Face", on: daemon)
        try await app.addSender("out", .counting)
        for (key, count) in [("empty", 0), ("one", 1), ("most", 4 << 20)] {
            try await app.perform(.publish(key: key, count: count, byte: 0xA5))
        }
        do {
            try await app.perform(.publish(key: "most", count: 4 << 20 + 1, byte: 1))
            XCTFail("4 MiB and a byte was published")
        } catch let failure as Peer.Failure {
            XCTAssertEqual(failure.code, "invalidArgument")
            XCTAssertTrue(failure.description.contains("(4 MiB)"), failure.description)
        }
        let bus = try await client("Viewer", on: daemon)
        let peer = try await id(of: "Face", seenBy: bus)
        let keys = try await bus.publishedKeys(of: peer)
        XCTAssertEqual(keys, ["empty", "most", "one"])
        for (key, count) in [("empty", 0), ("one", 1), ("most", 4 << 20)] {
            let bytes = try await bus.publishedData(forKey: key, of: peer)
            XCTAssertEqual(bytes?.count, count)
            XCTAssertTrue(bytes?.allSatisfy { $0 == 0xA5 } == true)
        }
        let none = try await bus.publishedData(forKey: "none", of: peer)
        XCTAssertNil(none)

        try await app.perform(.unpublish(key: "one"))
        try await eventually("the key's going") { try await bus.publishedKeys(of: peer) == ["empty", "most"] }
        app.process.signal(SIGKILL)
        _ = try await app.process.waitForEnd()
        try await eventually("the error") {
            do {
                _ = try await bus.publishedKeys(of: peer)
                return false
            } catch let error as PipeBusError {
                return error.code == .unknownApp
            }
        }
    }

    func testBytesArePassedOnExactlyAndToTheAppItself() async throws {
        let daemon = try await startDaemon()
        let bus = try await client("Both", on: daemon)
        let peer = try await id(of: "Both", seenBy: bus)
        var random = SeededGenerator(seed: 11)
        for count in [1, 2, 3, 255, 256, 257, 70_000] {
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            try await bus.publish(bytes, forKey: "icon.png")
            let published = bytes
            // It was copied.
            bytes[0] ^= 1
            let read = try await bus.publishedData(forKey: "icon.png", of: peer)
            XCTAssertEqual(read, published)
        }
    }

    func testTwoAppsUseOneKey() async throws {
        let daemon = try await startDaemon()
        let (left, right) = (try await client("Left", on: daemon), try await client("Right", on: daemon))
        try await left.publish([1], forKey: "state")
        try await right.publish([2], forKey: "state")
        let (leftID, rightID) = (
            try await id(of: "Left", seenBy: right), try await id(of: "Right", seenBy: right)
        )
        try await eventually("both") {
            let one = try await right.publishedData(forKey: "state", of: leftID)
            let other = try await right.publishedData(forKey: "state", of: rightID)
            return one == [1] && other == [2]
        }
        try await left.unpublish("state")
        try await left.unpublish("state")
        try await eventually("one key's going") { try await right.publishedKeys(of: leftID) == [] }
        let other = try await right.publishedKeys(of: rightID)
        XCTAssertEqual(other, ["state"])
    }

    func testChangesComeAsAStreamThatEndsWithTheApp() async throws {
        let daemon = try await startDaemon()
        let app = try await Peer.start("Face", on: daemon)
        try await app.addSender("out", .counting)
        try await app.perform(.publish(key: "there", count: 3, byte: 1))
        let bus = try await client("Viewer", on: daemon)
        let peer = try await id(of: "Face", seenBy: bus)
        let log = Log()
        let reader = log.read(bus.publishedDataUpdates(of: peer))
        try await eventually("what is there") { log.keys == ["added there 3"] }
        try await app.perform(.publish(key: "flag", count: 0, byte: 0))
        try await eventually("a new key") { log.keys.last == "added flag 0" }
        try await app.perform(.publish(key: "there", count: 5, byte: 2))
        try await eventually("another value") { log.keys.last == "replaced there 5" }
        // The same again is no change.
        try await app.perform(.publish(key: "there", count: 5, byte: 2))
        try await app.perform(.unpublish(key: "there"))
        try await eventually("a removal") { log.keys.last == "removed there -1" }
        try await app.perform(.publish(key: "there", count: 1, byte: 2))
        try await eventually("the key again") { log.keys.last == "added there 1" }
        XCTAssertEqual(log.keys.count, 5)
        XCTAssertFalse(log.isEnded.withLock { $0 })
        app.process.signal(SIGKILL)
        try await eventually("the end") { log.isEnded.withLock { $0 } }
        await reader.value
        XCTAssertEqual(Array(log.keys.suffix(2)).sorted(), ["removed flag -1", "removed there -1"])
        // Of nobody there is nothing.
        for await change in bus.publishedDataUpdates(of: peer) { XCTFail("\(change)") }
    }

    /// A reader that takes none of a thousand changes gets the last, and the publisher does not wait for the reader.
    func testASlowReaderGetsTheNewest() async throws {
        let daemon = try await startDaemon()
        let (app, bus) = (try await client("Meter", on: daemon), try await client("Viewer", on: daemon))
        try await app.publish([0], forKey: "level")
        let peer = try await id(of: "Meter", seenBy: bus)
        var updates = bus.publishedDataUpdates(of: peer).makeAsyncIterator()
        let first = await updates.next()
        XCTAssertEqual(first?.bytes, [0])
        for value in 1...1000 { try await app.publish([UInt8(value & 0xFF), UInt8(value >> 8)], forKey: "level") }
        try await app.publish([], forKey: "done")
        try await eventually("the last") { try await bus.publishedKeys(of: peer).contains("done") }
        // The last value may be under way still.
        var read: [PublishedDataChange] = []
        while read.last?.key != "done", let change = await updates.next() { read.append(change) }
        XCTAssertLessThan(read.count, 20)
        XCTAssertEqual(read.last { $0.key == "level" }?.bytes, [0xE8, 0x03])
    }

    func testAnAppThatHangsHoldsUpItsReaderAlone() async throws {
        let daemon = try await startDaemon()
        let app = try await Peer.start("Face", on: daemon)
        try await app.addSender("out", .counting)
        try await app.perform(.publish(key: "there", count: 3, byte: 1))
        let bus = try await client("Viewer", on: daemon)
        let peer = try await id(of: "Face", seenBy: bus)
        app.process.signal(SIGSTOP)
        try await eventuallyStopped(app.process.pid)
        let log = Log()
        let reader = log.read(bus.publishedDataUpdates(of: peer))
        do {
            _ = try await bus.publishedData(forKey: "there", of: peer, timeout: .milliseconds(300))
            XCTFail("a stopped app answered")
        } catch let error as PipeBusError {
            XCTAssertEqual(error.code, .timedOut)
            XCTAssertTrue(error.message.hasPrefix("Face does not answer; it may be stopped."), error.message)
        }
        // All else works.
        let keys = try await bus.publishedKeys(of: peer)
        XCTAssertEqual(keys, ["there"])
        try await bus.publish([1], forKey: "mine")
        app.process.signal(SIGCONT)
        try await eventually("what is there") { log.keys == ["added there 3"] }
        reader.cancel()
        await reader.value
    }

    func testItIsPublishedAgainAfterARestart() async throws {
        let daemon = try await startDaemon()
        let (app, bus) = (try await client("Face", on: daemon), try await client("Viewer", on: daemon))
        try await app.publish([1, 2, 3], forKey: "kept")
        try await app.publish([1, 2, 3], forKey: "changed")
        try await app.publish([1, 2, 3], forKey: "gone")
        try await daemon.kill()
        try await eventually("the interruption") {
            if case .interrupted = app.state { true } else { false }
        }
        try await app.publish([4], forKey: "changed")
        try await app.unpublish("gone")
        try await daemon.restart()
        try await eventually("the app's data") {
            guard let peer = await bus.graph.peers.first(where: { $0.name == "Face" }) else { return false }
            return (try? await bus.publishedKeys(of: peer.id)) == ["changed", "kept"]
        }
        let peer = try await id(of: "Face", seenBy: bus)
        let kept = try await bus.publishedData(forKey: "kept", of: peer)
        XCTAssertEqual(kept, [1, 2, 3])
        let changed = try await bus.publishedData(forKey: "changed", of: peer)
        XCTAssertEqual(changed, [4])
    }

    /// What another program publishes in another form is refused with a sentence, and what it writes into ours changes nothing.
    func testForeignMetadata() async throws {
        let daemon = try await startDaemon()
        let app = try await client("Face", on: daemon)
        try await app.publish([1], forKey: "mine")
        let bus = try await client("Viewer", on: daemon)
        let peer = try await id(of: "Face", seenBy: bus)
        let objects = try await GraphDump.take(daemon).objects.filter { $0.properties["pipebus.data.key"] == "mine" }
        let name = try XCTUnwrap(objects.first?.properties["metadata.name"])
        XCTAssertTrue(name.hasPrefix("pipebus-data.org.pipebus.face."), name)
        for arguments in [["0", "value", "AAAA", "x"], ["-d", "0", "value"], ["0", "other", "x", "y"], ["-d"]] {
            try await daemon.run("pw-metadata", ["-n", name] + arguments).waitForEnd()
        }
        let bytes = try await bus.publishedData(forKey: "mine", of: peer)
        XCTAssertEqual(bytes, [1])
    }
}
