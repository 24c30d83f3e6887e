// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// Metadata objects whose owner or user is another process: PipeWire's own tool, or one that is stopped or killed.
final class MetadataProcessTests: DaemonTestCase {
    private func client(_ daemon: HeadlessPipeWire) async throws -> MetadataClient {
        let client = try await MetadataClient.connect(to: daemon)
        addTeardownBlock { await client.close() }
        return client
    }

    private func host(
        _ mode: String, on daemon: HeadlessPipeWire, client: PipeWireInstallation = .system
    ) async throws -> ChildProcess {
        let host = try ChildProcess(
            Programs.path(of: "metadata-host"), [mode, "test"], environment: daemon.environment(client: client))
        try await host.nextLine { $0.hasPrefix("ready") }
        return host
    }

    /// The output of PipeWire's tool, of the object's properties alone.
    @discardableResult
    private func tool(_ daemon: HeadlessPipeWire, _ arguments: [String]) async throws -> [String] {
        let process = try daemon.run("pw-metadata", ["-n", "test"] + arguments)
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), "\(process.failure("failed"))")
        return process.output.lines.filter { $0.contains("update:") }
    }

    // MARK: PipeWire's tool

    func testPwMetadataReadsAndWrites() async throws {
        let daemon = try await startDaemon()
        let owner = try await client(daemon)
        try await owner.export("test") { request in
            guard request.key == "volume", let value = request.value.flatMap(Double.init) else { return .refuse }
            return (0...1).contains(value) ? .accept : .refuse
        }
        try await owner.set("volume", to: "0.5")
        try await owner.set("title", to: "Löwe 'n \"quoted\"")
        var lines = try await tool(daemon, [])
        XCTAssertEqual(
            lines.sorted(),
            [
                "update: id:0 key:'title' value:'Löwe 'n \"quoted\"' type:'Spa:String'",
                "update: id:0 key:'volume' value:'0.5' type:'Spa:String'",
            ])
        try await tool(daemon, ["0", "volume", "0.25", "Spa:Float"])
        let value = await owner.value(of: "volume")
        XCTAssertEqual(value, "0.25")
        lines = try await tool(daemon, ["0", "volume"])
        XCTAssertEqual(lines, ["update: id:0 key:'volume' value:'0.25' type:'Spa:Float'"])
    }

    func testPwMetadatasNonsenseChangesNothing() async throws {
        let daemon = try await startDaemon()
        let owner = try await client(daemon)
        try await owner.export("test") { _ in .refuse }
        try await owner.set("volume", to: "0.5")
        let own = await owner.exportedID
        // Of another subject, or larger than a request may be: the owner does not get it.
        let ignored = [
            ["1", "volume", "1"], ["\(own ?? 0)", "volume", "1"], ["-d", "1", "volume"], ["-d", "1"],
            ["0", "", "1"], ["0", String(repeating: "k", count: 257), "1"],
            ["0", "k", "1", String(repeating: "t", count: 257)],
            ["0", "volume", String(repeating: "1", count: 4097)],
        ]
        for arguments in ignored { try await tool(daemon, arguments) }
        // The end of any object makes the daemon ask for the end of its properties.
        try await owner.sync()
        var requests = await owner.requests
        XCTAssertEqual(requests, [])

        let asked: [([String], MetadataClient.Request)] = [
            (["0", "volume", "x"], .init(key: "volume", type: nil, value: "x")),
            (["0", "volume", ""], .init(key: "volume", type: nil, value: "")),
            (["0", "a b\n'\"{", "\u{1F9E8}", "%s%n"], .init(key: "a b\n'\"{", type: "%s%n", value: "\u{1F9E8}")),
            (
                ["0", "volume", String(repeating: "1", count: 4096)],
                .init(key: "volume", type: nil, value: String(repeating: "1", count: 4096))
            ),
            (["-d", "0", "volume"], .init(key: "volume", type: nil, value: nil)),
            (["-d", "0"], .init(key: nil, type: nil, value: nil)),
            (["-d"], .init(key: nil, type: nil, value: nil)),
        ]
        for (arguments, _) in asked { try await tool(daemon, arguments) }
        try await owner.sync()
        requests = await owner.requests
        XCTAssertEqual(requests, asked.map(\.1))
        let lines = try await tool(daemon, [])
        XCTAssertEqual(lines, ["update: id:0 key:'volume' value:'0.5' type:'Spa:String'"])
    }

    /// Bytes that are no text do not get past the daemon's and our checks as anything else.
    func testBytesThatAreNoTextAreNotAskedAbout() async throws {
        let daemon = try await startDaemon()
        let owner = try await client(daemon)
        try await owner.export("test") { _ in .accept }
        for arguments in ["0 volume '\\377\\300'", "0 '\\377' 1", "0 volume 1 '\\377'"] {
            let script = "exec pw-metadata -n test $(printf \(arguments.replacing("'", with: "")))"
            let process = try daemon.run("sh", ["-c", script])
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0), "\(process.failure("failed"))")
        }
        try await owner.sync()
        let requests = await owner.requests
        XCTAssertEqual(requests, [])
        let keys = await owner.exportedKeys
        XCTAssertEqual(keys, [])
    }

    // MARK: Owners in trouble

    func testTheObjectGoesWithAKilledOwner() async throws {
        let daemon = try await startDaemon()
        let host = try await host("own", on: daemon)
        let reader = try await client(daemon)
        try await reader.bind("test")
        try await eventually("its value") { await reader.changes("volume") == ["0.5"] }
        host.signal(SIGKILL)
        try await eventually("it to go") { await reader.failures == [.metadataRemoved] }
        try await eventually("its global to go") { await reader.objects["test"] == nil }
        try await reader.sync()
    }

    /// PipeWire's own: the daemon stops listening to a client that binds until the owner has answered.
    func testAStoppedOwnerBlocksOnlyTheClientsThatBindIt() async throws {
        let daemon = try await startDaemon()
        let host = try await host("own", on: daemon)
        let (before, binder, other) = (try await client(daemon), try await client(daemon), try await client(daemon))
        try await before.bind("test")
        try await before.sync()
        host.signal(SIGSTOP)
        try await eventuallyStopped(host.pid)
        try await binder.bind("test")
        await assertThrows("a connection that binds") { try await binder.sync(timeout: .milliseconds(200)) }
        try await other.sync()
        try await before.ask("volume", toBe: "0.75")
        try await before.sync()
        host.signal(SIGCONT)
        for client in [before, binder] {
            try await eventually("the new value") { await client.values("volume").last == "0.75" }
            try await client.sync()
        }
    }

    /// A fault of PipeWire up to 1.6 at least: it forgets the clients that wait for an owner that ends. So an object of
    /// a process that may be suspended is bound through a side connection.
    func testAConnectionBesideTheMainOneCanBeGivenUp() async throws {
        let daemon = try await startDaemon()
        let host = try await host("own", on: daemon)
        let client = try await client(daemon)
        host.signal(SIGSTOP)
        try await eventuallyStopped(host.pid)
        try await client.bindBeside("test")
        await assertThrows("the connection that binds") { try await client.syncBeside(timeout: .milliseconds(200)) }
        try await client.sync()
        host.signal(SIGKILL)
        try await eventually("the object to go") { await client.objects["test"] == nil }
        await assertThrows("the connection that binds") { try await client.syncBeside(timeout: .milliseconds(200)) }
        let before = try await clientCount(daemon)
        await client.closeBeside()
        try await eventually("its end in the daemon") { try await clientCount(daemon) == before - 1 }
        try await client.sync()
    }

    private func clientCount(_ daemon: HeadlessPipeWire) async throws -> Int {
        let tool = try daemon.run("pw-cli", ["ls", "Client"])
        try await tool.waitForEnd()
        return tool.output.lines.filter { $0.contains("PipeWire:Interface:Client") }.count
    }

    // MARK: Versions

    func testWithNewerPipeWire() async throws {
        let newer = try PipeWireInstallation.newer()
        for (daemon, ownerClient, userClient) in [
            (newer, newer, newer), (newer, .system, newer), (newer, newer, .system), (.system, newer, .system),
            (.system, .system, newer),
        ] as [(PipeWireInstallation, PipeWireInstallation, PipeWireInstallation)] {
            try await tryAll(on: try await startDaemon(installation: daemon), owner: ownerClient, user: userClient)
        }
    }

    func testWithTheSystemsPipeWire() async throws {
        try await tryAll(on: try await startDaemon(), owner: .system, user: .system)
    }

    private func tryAll(
        on daemon: HeadlessPipeWire, owner ownerClient: PipeWireInstallation, user userClient: PipeWireInstallation
    ) async throws {
        let owner = try await host("own", on: daemon, client: ownerClient)
        let user = try await host("watch", on: daemon, client: userClient)
        let reader = try await client(daemon)
        try await reader.bind("test")
        try await reader.sync()
        // Published before the round trip was over.
        XCTAssertEqual(user.output.lines.first, "property volume 0.5")
        user.send("set volume 7")
        user.send("set other 1")
        user.send("remove volume")
        user.send("set volume 0.25")
        try await owner.nextLine { $0 == "request volume 7" }
        try await owner.nextLine { $0 == "request volume -" }
        try await user.nextLine { $0 == "property volume 0.25" }
        try await eventually("the echo") { await reader.changes("volume") == ["0.5", "0.25"] }
        for number in 0..<200 { owner.send("set key\(number) \(number)") }
        owner.send("remove volume")
        try await user.nextLine { $0 == "property volume -" }
        try await eventually("its going") { await reader.changes("volume") == ["0.5", "0.25", nil] }
        let late = try await client(daemon)
        try await late.bind("test")
        try await eventually("all keys") { await Set(late.properties.map(\.key)).count == 200 }
        // A client leaves: the daemon requests the removal of that client's properties.
        try await daemon.run("pw-cli", ["info", "0"]).waitForEnd()
        user.send("set volume 9")
        try await owner.nextLine { $0 == "request volume 9" }
        owner.closeInput()
        try await user.nextLine { $0.hasPrefix("failure") }
        for client in [reader, late] { try await eventually("it to go") { await client.failures.count == 1 } }
        XCTAssertFalse(user.output.text.contains("other"), user.output.text)
        user.closeInput()
        for host in [owner, user] {
            let ending = try await host.waitForEnd()
            XCTAssertEqual(ending, .exited(0))
            // Refusing is not an error that libpipewire writes about.
            XCTAssertFalse(host.errors.text.contains("invalid"), host.errors.text)
        }
        XCTAssertFalse(owner.output.text.contains("request *"), owner.output.text)
    }
}
