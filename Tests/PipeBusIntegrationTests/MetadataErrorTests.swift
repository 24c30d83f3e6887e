// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// Metadata where PipeWire lacks what is needed, and where its calls fail.
final class MetadataErrorTests: DaemonTestCase {
    private func client(_ daemon: HeadlessPipeWire, recorder: CallRecorder? = nil) async throws -> MetadataClient {
        let client = try await MetadataClient.connect(to: daemon, recorder: recorder)
        addTeardownBlock { await client.close() }
        return client
    }

    private func assertIncompatible(_ error: any Error, _ word: String, line: UInt = #line) {
        guard case .incompatible(let reason) = error as? PipeWireError else { return XCTFail("\(error)", line: line) }
        XCTAssertTrue(reason.contains(word), reason, line: line)
    }

    func testAConfigurationWithoutTheModule() async throws {
        let daemon = try await startDaemon()
        let other = try await client(daemon)
        try await other.export("test") { _ in .refuse }
        let file = "\(daemon.directory)/bare.conf"
        try Self.write(
            """
            context.spa-libs = { support.* = support/libspa-support }
            context.modules = [ { name = libpipewire-module-protocol-native } ]
            """, to: file)
        defer { unsafe unlink(file) }
        unsafe setenv("PIPEWIRE_CONFIG_NAME", file, 1)
        defer { unsafe unsetenv("PIPEWIRE_CONFIG_NAME") }
        let bare = try await client(daemon)
        await assertThrows("exporting without the module") {
            try await bare.export("bare") { _ in .refuse }
        } _: {
            assertIncompatible($0, "this program's")
        }
        await assertThrows("binding without the module") {
            try await bare.bind("test")
        } _: {
            assertIncompatible($0, "this program's")
        }
        try await bare.sync()
    }

    func testADaemonWithoutTheModule() async throws {
        let daemon = try await HeadlessPipeWire.start(.init(hasMetadata: false))
        let owner = try await client(daemon)
        await assertThrows("exporting without the factory") {
            try await owner.export("test") { _ in .refuse }
        } _: {
            assertIncompatible($0, "the daemon")
        }
        try await owner.sync()
        await owner.close()
        try await daemon.close()
    }

    func testEveryCallThatFailsIsReported() async throws {
        let daemon = try await startDaemon()
        let (ownerCalls, readerCalls) = (CallRecorder(), CallRecorder())
        let owner = try await client(daemon, recorder: ownerCalls)
        let reader = try await client(daemon, recorder: readerCalls)
        func assertFails(
            _ call: String, _ recorder: CallRecorder, line: UInt = #line, _ body: () async throws -> Void
        ) async {
            recorder.force(EIO, for: call)
            await assertThrows(call, line: line, body) {
                XCTAssertEqual($0 as? PipeWireError, .callFailed(call: call, code: EIO), line: line)
            }
        }
        await assertFails("pw_core_export", ownerCalls) { try await owner.export("test") { _ in .accept } }
        ownerCalls.force(EPROTO, for: "pw_core_export")
        await assertThrows("no module") {
            try await owner.export("test") { _ in .accept }
        } _: {
            assertIncompatible($0, "libpipewire-module-metadata")
        }
        try await owner.export("test") { _ in .accept }
        await assertFails("pw_registry_bind", readerCalls) { try await reader.bind("test") }
        try await reader.bind("test")
        try await settle(owner, reader)
        await assertFails("pw_metadata_emit_property", ownerCalls) { try await owner.set("key", to: "1") }
        var keys = await owner.exportedKeys
        XCTAssertEqual(keys, [])
        try await owner.set("key", to: "2")
        try await settle(owner, reader)
        await assertFails("pw_metadata_emit_property", ownerCalls) { try await owner.remove("key") }
        keys = await owner.exportedKeys
        XCTAssertEqual(keys, ["key"])
        await assertFails("pw_metadata_set_property", readerCalls) { try await reader.ask("key", toBe: "3") }
        await assertFails("pw_metadata_set_property", readerCalls) { try await reader.askToRemove("key") }
        // The round trip that secures a change is not what the change depends on.
        try await settle(owner, reader)
        ownerCalls.force(EIO, for: "pw_core_sync")
        try await owner.set("key", to: "4")
        try await owner.set("key", to: "5")
        try await eventually("the value") { await reader.values("key").last == "5" }
        await owner.closeExported()
        await owner.closeExported()
        XCTAssertEqual(ownerCalls.calls.filter { $0 == "pw_proxy_destroy" }.count, 1)
    }

    /// Waits until the owner has no value to publish again.
    private func settle(_ owner: MetadataClient, _ reader: MetadataClient) async throws {
        try await reader.sync()
        try await owner.sync()
        try await owner.sync()
    }

    private static func write(_ text: String, to path: String) throws {
        guard let file = unsafe fopen(path, "wxe") else { throw TestKitError("\(path) could not be written.") }
        let result = unsafe fputs(text, file)
        guard unsafe fclose(file) == 0, result >= 0 else { throw TestKitError("\(path) could not be written.") }
    }
}
