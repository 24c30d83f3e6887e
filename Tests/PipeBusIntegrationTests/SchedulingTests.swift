// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The audio thread's priority: real-time where the machine allows it, and a word about it where not.
final class SchedulingTests: DaemonTestCase {
    private let mayHaveRealtime = sched_get_priority_max(SCHED_FIFO) > 0 && geteuid() == 0

    func testWithoutARealtimeModuleSoundPassesAndANoticeSaysWhatIsMissing() async throws {
        // A configuration folder whose files load no real-time module, as on a system that has none.
        let folder = "/tmp/pipebus-conf-\(getpid())"
        unsafe mkdir(folder, 0o700)
        defer {
            unsafe unlink("\(folder)/client.conf")
            unsafe rmdir(folder)
        }
        try Self.configuration.write(toFile: "\(folder)/client.conf")
        unsafe setenv("PIPEWIRE_CONFIG_DIR", folder, 1)
        defer { unsafe unsetenv("PIPEWIRE_CONFIG_DIR") }

        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(
            as: "org.example.rt", name: "RT", remote: daemon.remote, allowsConnectionsToSelf: true)
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        // The notice is posted before the port exists: the stream keeps it for a later reader.
        let notices = bus.notices
        try await bus.connect(sender, to: receiver)
        try await eventually("cycles to run") { try await receiver.statistics.cycles > 3 }
        try await bus.restartSession()
        let cycles = try await receiver.statistics.cycles
        try await eventually("cycles of the next session") { try await receiver.statistics.cycles > cycles }
        await bus.close()
        // Closing ends the stream, so this ends too.
        var kinds: [Notice.Kind] = []
        for await notice in notices { kinds.append(notice.kind) }
        XCTAssertEqual(kinds, [.noRealtimePriority], "once")
    }

    func testWhereTheMachineAllowsItTheAudioThreadHasRealtimePriority() async throws {
        try XCTSkipUnless(mayHaveRealtime, "needs the right to real-time scheduling")
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.example.rt", name: "RT", remote: daemon.remote)
        _ = try await bus.sender("out", state: ()) { _, _, _ in }
        let notices = bus.notices
        await bus.close()
        for await notice in notices { XCTFail("\(notice)") }
    }

    private static let configuration = """
        context.properties = { }
        context.spa-libs = {
            audio.convert.* = audioconvert/libspa-audioconvert
            support.* = support/libspa-support
        }
        context.modules = [
            { name = libpipewire-module-protocol-native }
            { name = libpipewire-module-client-node }
            { name = libpipewire-module-adapter }
            { name = libpipewire-module-metadata }
        ]
        """
}

extension String {
    fileprivate func write(toFile path: String) throws {
        try write(toFile: path, atomically: true, encoding: .utf8)
    }
}
