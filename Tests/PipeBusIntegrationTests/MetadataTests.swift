// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// One client's metadata object and another's use of it.
final class MetadataTests: DaemonTestCase {
    private func client(_ daemon: HeadlessPipeWire, recorder: CallRecorder? = nil) async throws -> MetadataClient {
        let client = try await MetadataClient.connect(to: daemon, recorder: recorder)
        addTeardownBlock { await client.close() }
        return client
    }

    /// An owner of "test" that takes everything but what is called "secret", and a reader of it.
    private func pair(on daemon: HeadlessPipeWire) async throws -> (owner: MetadataClient, reader: MetadataClient) {
        let owner = try await client(daemon)
        try await owner.export("test", properties: [("application.id", "org.pipebus.test")]) { request in
            request.key == "secret" ? .refuse : .accept
        }
        try await owner.set("volume", to: "0.5")
        // No value is left to publish again.
        try await owner.sync()
        let reader = try await client(daemon)
        try await reader.bind("test")
        try await reader.sync()
        try await owner.sync()
        return (owner, reader)
    }

    func testAnotherReadsWritesAndHearsTheEcho() async throws {
        let (owner, reader) = try await pair(on: try await startDaemon())
        var received = await reader.properties
        XCTAssertEqual(received, [.init(key: "volume", type: "Spa:String", value: "0.5")])
        let object = await reader.objects["test"]
        let ownID = await owner.exportedID
        XCTAssertEqual(object?.id, ownID)
        XCTAssertEqual(object?.properties["application.id"], "org.pipebus.test")
        XCTAssertNotNil(object?.properties["client.id"])

        try await reader.ask("volume", toBe: "0.25")
        try await eventually("the echo") { await reader.values("volume") == ["0.5", "0.25"] }
        let value = await owner.value(of: "volume")
        XCTAssertEqual(value, "0.25")
        // An unchanged value is published as well: it is the only sign that it was taken.
        try await reader.ask("volume", toBe: "0.25")
        try await eventually("the second echo") { await reader.values("volume") == ["0.5", "0.25", "0.25"] }

        try await reader.askToRemove("volume")
        try await eventually("its going") { await reader.values("volume").last == .some(nil) }
        received = await reader.properties
        XCTAssertEqual(received.last, .init(key: "volume", type: nil, value: nil))
        let keys = await owner.exportedKeys
        XCTAssertEqual(keys, [])
        let requests = await owner.requests
        XCTAssertEqual(requests.last, .init(key: "volume", type: nil, value: nil))
    }

    func testARefusedRequestChangesNothingAndIsNotPublished() async throws {
        let (owner, reader) = try await pair(on: try await startDaemon())
        try await owner.set("secret", to: "mine")
        try await reader.ask("secret", toBe: "theirs")
        try await reader.askToRemove("secret")
        // Later than both, so its echo is too.
        try await reader.ask("volume", toBe: "1")
        try await eventually("the echo") { await reader.values("volume").last == "1" }
        let received = await reader.values("secret")
        XCTAssertEqual(received, ["mine"])
        let value = await owner.value(of: "secret")
        XCTAssertEqual(value, "mine")
        let requests = await owner.requests.map(\.key)
        XCTAssertEqual(requests, ["secret", "secret", "volume"])
    }

    func testWithItsOwnerTheObjectGoes() async throws {
        let (owner, reader) = try await pair(on: try await startDaemon())
        await owner.closeExported()
        await owner.closeExported()
        try await eventually("it to go") { await reader.failures == [.metadataRemoved] }
        try await eventually("its global to go") { await reader.objects["test"] == nil }
        await assertThrows("asking an object that has gone") { try await reader.ask("volume", toBe: "1") }
        await assertThrows("setting a value of a closed object") {
            try await owner.set("volume", to: "1")
        } _: {
            XCTAssertEqual($0 as? PipeWireError, .closed)
        }
        try await reader.sync()
        let received = await reader.values("volume")
        XCTAssertEqual(received, ["0.5"])
    }

    func testAnotherClientRemovesIt() async throws {
        let daemon = try await startDaemon()
        let (owner, reader) = try await pair(on: daemon)
        let id = await owner.exportedID
        try await daemon.run("pw-cli", ["destroy", "\(try XCTUnwrap(id))"]).waitForEnd()
        try await eventually("both to hear it") {
            let heard = await owner.failures + reader.failures
            return heard == [.metadataRemoved, .metadataRemoved]
        }
        await assertThrows("setting a value of a removed object") {
            try await owner.set("volume", to: "1")
        } _: {
            XCTAssertEqual($0 as? PipeWireError, .metadataRemoved)
        }
    }

    func testTheDaemonGoes() async throws {
        let daemon = try await startDaemon()
        let (owner, reader) = try await pair(on: daemon)
        daemon.signal(SIGKILL)
        try await eventually("both to hear it") {
            let heard = await owner.failures + reader.failures
            return heard.count == 2 && heard.allSatisfy { if case .connectionLost = $0 { true } else { false } }
        }
        await assertThrows("setting without a daemon") { try await owner.set("volume", to: "1") }
        await assertThrows("asking without a daemon") { try await reader.ask("volume", toBe: "1") }
    }

    func testTheConnectionMayGoFirst() async throws {
        let (owner, reader) = try await pair(on: try await startDaemon())
        for client in [reader, owner] {
            await client.closeConnection()
            await client.close(closesObjects: false)
            let failures = await client.failures
            XCTAssertEqual(failures, [])
        }
    }

    func testTheOwnerClosesItInsideARequest() async throws {
        let daemon = try await startDaemon()
        let owner = try await client(daemon)
        try await owner.export("test") { _ in .close }
        let reader = try await client(daemon)
        try await reader.bind("test")
        try await reader.ask("end", toBe: "now")
        // The process may know of the end by then.
        try? await reader.ask("end", toBe: "again")
        try await eventually("it to go") { await reader.failures == [.metadataRemoved] }
        try await owner.sync()
        let requests = await owner.requests
        XCTAssertEqual(requests.count, 1)
    }

    func testTheReaderClosesItInsideAnEvent() async throws {
        let daemon = try await startDaemon()
        let (owner, _) = try await pair(on: daemon)
        try await owner.set("second", to: "x")
        let reader = try await client(daemon)
        let id = await owner.exportedID
        try await reader.bind(id: try XCTUnwrap(id), closesOnProperty: true)
        try await reader.sync()
        try await owner.set("third", to: "x")
        try await owner.sync()
        try await reader.sync()
        let count = await reader.properties.count
        XCTAssertEqual(count, 1)
    }

    func testManyKeysComeToWhoComesLate() async throws {
        let daemon = try await startDaemon()
        let owner = try await client(daemon)
        try await owner.export("test") { _ in .refuse }
        for number in 0..<200 { try await owner.set("key\(number)", to: "value \(number)") }
        // None of them is to cross the binding and come twice.
        try await owner.sync()
        let reader = try await client(daemon)
        try await reader.bind("test")
        try await reader.sync()
        let received = await reader.properties
        XCTAssertEqual(received.count, 200)
        for number in 0..<200 {
            XCTAssertTrue(received.contains(.init(key: "key\(number)", type: "Spa:String", value: "value \(number)")))
        }
    }

    func testLargeValuesOfOnesOwnGetThrough() async throws {
        let (owner, reader) = try await pair(on: try await startDaemon())
        // Everything else there is takes less than a kilobyte.
        let value = String(repeating: "0123456789abcdef", count: ((4 << 20) - 1024) / 16)
        try await owner.set("picture", to: value)
        try await eventually("the large value") { await reader.values("picture") == [value] }
        await assertThrows("more than there is room for") {
            try await owner.set("second", to: value)
        } _: {
            XCTAssertEqual($0 as? PipeWireError, .callFailed(call: "pw_metadata_set_property", code: ENOSPC))
        }
        try await reader.sync()
    }

    func testALargeRequestIsNotSent() async throws {
        let (_, reader) = try await pair(on: try await startDaemon())
        let value = String(repeating: "x", count: 4096)
        try await reader.ask("text", toBe: value)
        try await eventually("the echo") { await reader.values("text") == [value] }
        await assertThrows("4097 bytes") {
            try await reader.ask("text", toBe: value + "x")
        } _: {
            XCTAssertEqual($0 as? PipeWireError, .callFailed(call: "pw_metadata_set_property", code: EMSGSIZE))
        }
    }

    /// The daemon passes a change that crosses a client's bind request to that client alone.
    func testAChangeThatCrossesAListenerIsNotLost() async throws {
        let daemon = try await startDaemon()
        let (owner, reader) = try await pair(on: daemon)
        let third = try await client(daemon)
        try await third.bind("test")
        try await third.sync()
        for round in 1...5 {
            // The daemon finds the bind first, and the change before it has asked the owner.
            daemon.signal(SIGSTOP)
            try await eventuallyStopped(daemon.pid)
            try await third.bind("test")
            await third.afterItsMessagesLeft()
            try await owner.set("volume", to: "\(round)")
            if round == 3 { try await owner.set("gone", to: "x") }
            if round == 4 { try await owner.remove("gone") }
            await owner.afterItsMessagesLeft()
            daemon.signal(SIGCONT)
            try await eventually("change \(round)") { await reader.values("volume").last == "\(round)" }
            if round == 3 { try await eventually("the key") { await reader.values("gone").last == "x" } }
            if round == 4 { try await eventually("the key's going") { await reader.values("gone").last == .some(nil) } }
        }
    }

    func testABindOfNothingFails() async throws {
        let reader = try await client(try await startDaemon())
        try await reader.bind(id: 100_000)
        try await eventually("the refusal") { await !reader.failures.isEmpty }
        try await reader.sync()
    }
}
