// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// The daemon's profiler, bound by a client.
final class ProfilerTests: DaemonTestCase {
    func testItReportsTheNodesOfTheDriver() async throws { try await checkReports(.chosen) }

    func testItReportsTheNodesOfANewerDaemon() async throws { try await checkReports(try .newer()) }

    private func checkReports(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(quantum: 512), installation: installation)
        let peer = try await Peer.start("Giver", on: daemon, client: installation)
        try await peer.addSender("out", .constant(0.5))
        try await peer.addReceiver("in")
        // An app connects its own ports in a second process only.
        let taker = try await Peer.start("Taker", on: daemon, client: installation)
        try await taker.addReceiver("in")
        try await taker.join("Giver/out", to: "Taker/in")
        let wasLoaded = try isModuleLoaded
        let client = try await ProfilerClient.connect(to: daemon.remote)
        for _ in 0..<3 {
            try await client.bind()
            let report = try await eventualResult("a report of both nodes") {
                await client.reports.last { report in
                    Set(report.followers.map(\.name)).isSuperset(of: ["Giver.out", "Taker.in"])
                        && report.followers.allSatisfy { $0.status == .finished || $0.status == .inactive }
                }
            }
            XCTAssertEqual(report.driver.name, "Dummy-Driver")
            XCTAssertEqual(report.clock?.duration, 512)
            XCTAssertEqual(report.clock?.sampleRate, 48_000)
            for node in report.followers where node.status == .finished {
                XCTAssertLessThanOrEqual(node.signal, node.finish)
            }
            await client.release()
            try await client.sync()
            let reports = await client.reports
            XCTAssertTrue(reports.isEmpty)
        }
        try await client.bind()
        // Up to 1.0.0 it takes 8 or 16 MiB in each session.
        XCTAssertEqual(try isModuleLoaded, wasLoaded, "The profiler's module was loaded.")
        await client.close()
        for peer in [peer, taker] { try await peer.close() }
    }

    /// Whether this process has the daemon's half of the profiler.
    private var isModuleLoaded: Bool {
        get throws {
            try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).contains("/libpipewire-module-profiler.so")
        }
    }

    func testABindingThatFailsIsReported() async throws {
        let daemon = try await startDaemon()
        let recorder = CallRecorder()
        let client = try await ProfilerClient.connect(to: daemon.remote, recorder: recorder)
        for call in ["pw_protocol_add_marshal", "pw_registry_bind"] {
            recorder.force(ENOMEM, for: call)
            do {
                try await client.bind()
                XCTFail("The binding worked.")
            } catch let error as PipeWireError {
                XCTAssertEqual(error, .callFailed(call: call, code: ENOMEM))
            }
        }
        // No such object.
        try await client.bind(id: 12_345)
        try await eventually("the refusal") { await !client.failures.isEmpty }
        await client.close()
    }

    func testItEndsWithItsDaemon() async throws {
        let daemon = try await startDaemon()
        let client = try await ProfilerClient.connect(to: daemon.remote)
        try await client.bind()
        daemon.signal(SIGKILL)
        try await eventually("the connection to end") {
            do {
                try await client.sync()
                return false
            } catch { return true }
        }
        await client.close()
    }
}
