// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

extension HeadlessPipeWire {
    /// Runs a program of PipeWire against the daemon, and expects it to succeed.
    func perform(_ program: String, _ arguments: String..., file: StaticString = #filePath, line: UInt = #line)
        async throws
    {
        let ending = try await run(program, arguments).waitForEnd()
        XCTAssertEqual(ending, .exited(0), "\(program) \(arguments)", file: file, line: line)
    }

    /// The version that the daemon itself says.
    func version() async throws -> LibraryVersion {
        let tool = try run("pw-cli", ["info", "0"], client: installation)
        try await tool.waitForEnd()
        let line = try XCTUnwrap(
            tool.output.lines.first { $0.contains("version:") && $0.contains(".") }, tool.output.text)
        let text = line.split(separator: "\"").last.map(String.init) ?? ""
        return try XCTUnwrap(LibraryVersion(parsing: text), line)
    }

    /// Skips the test if ports of this process would hear nothing at the daemon, because its library is too new for it.
    func skipIfTooOldForThisProcess() async throws {
        let version = try await version()
        try XCTSkipIf(
            PipeWireConnection.libraryVersion >= .announcesLinksToInputs && version < .announcesLinksToInputs,
            "This process has PipeWire \(PipeWireConnection.libraryVersion), and the daemon is of \(version).")
    }

    /// Removes an app's client from the graph, as a patchbay does to close the app.
    func removeClient(named name: String) async throws {
        let clients = try await GraphDump.take(self, client: installation).objects.filter {
            $0.type == "Client" && $0.properties["application.name"] == name
        }
        for client in clients { try await perform("pw-cli", "destroy", "\(client.id)") }
    }

    /// The global id of a node.
    func node(named name: String, file: StaticString = #filePath, line: UInt = #line) async throws -> Int {
        let node = try await GraphDump.take(self, client: installation).objects.first {
            $0.type == "Node" && $0.properties["node.name"] == name
        }
        return try XCTUnwrap(node?.id, name, file: file, line: line)
    }

    func destroyNode(named name: String) async throws { try await perform("pw-cli", "destroy", "\(node(named: name))") }

    /// Adds a stereo output device without hardware, which drives the graph while no device of a higher priority does.
    func addNullSink(_ name: String) async throws {
        try await perform(
            "pw-cli", "create-node", "adapter",
            "{ factory.name = support.null-audio-sink node.name = \(name) media.class = Audio/Sink object.linger = true "
                + "priority.driver = 29000 audio.format = F32P audio.rate = 48000 audio.channels = 2 "
                + "audio.position = [ FL FR ] "
                + "adapter.auto-port-config = { mode = dsp monitor = true position = preserve } }")
    }
}
