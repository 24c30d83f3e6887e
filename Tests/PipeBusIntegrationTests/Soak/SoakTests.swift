// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Random topologies and random faults for as long as is wanted; see ``Soak``.
///
/// `PIPEBUS_SOAK_SECONDS` says how long, for the system's PipeWire and 1.4 together; `PIPEBUS_SOAK_SEED` repeats a run's
/// decisions. `make soak MINUTES=10` runs it.
final class SoakTests: DaemonTestCase {
    private static let environment = ProcessInfo.processInfo.environment

    private static var duration: Duration {
        .seconds(min(max(environment["PIPEBUS_SOAK_SECONDS"].flatMap { Double($0) } ?? 0, 0), 86_400) / 2)
    }

    func testFaultsAtRandom() async throws { try await soak(.chosen, salt: 0) }
    func testFaultsAtRandomOnANewerPipeWire() async throws { try await soak(.newer(), salt: 1) }

    private func soak(_ installation: PipeWireInstallation, salt: UInt64) async throws {
        try XCTSkipIf(Self.duration < .seconds(8), "PIPEBUS_SOAK_SECONDS says for how long.")
        let given = Self.environment["PIPEBUS_SOAK_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0..<1_000_000) * 2 + salt
        let log = try SoakLog(seed: seed)
        print("soak: seed \(seed), \(Self.duration / .seconds(1)) s, log \(log.path)")
        let daemon = try await startDaemon(
            .init(quantum: 1024), installation: installation, limit: Self.duration + .seconds(600))
        let soak = try await Soak(on: daemon, seed: seed, log: log)
        do {
            try await soak.run(for: Self.duration)
        } catch { XCTFail("\(error)") }
        let growth = soak.resources.growth { name in name == "this process" ? 4096 : 1024 }
        XCTAssertEqual(growth, [], "seed \(seed), log \(log.path)")
        let tables = "\(soak.summary.table)\n\(soak.resources.table)"
        log.write(tables)
        print("soak: seed \(seed)\n\(tables)")
        try? await soak.stage.close()
        if testRun?.totalFailureCount == 0, Self.duration < .seconds(300) { log.remove() }
    }
}
