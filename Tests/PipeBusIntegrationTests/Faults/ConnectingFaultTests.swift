// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// The daemon is killed while an app connects, adds its ports and connects them: at another moment each time.
final class ConnectingFaultTests: DaemonTestCase {
    private static let rounds = 30

    /// What this process may keep. libpipewire 0.3.65 keeps a descriptor for each connection of ports at a newer daemon.
    private static func spareDescriptors(_ installation: PipeWireInstallation, connections: Int) -> Int {
        4 + (installation == .system ? 0 : connections)
    }

    /// Busy, for less than the poll of `eventually`.
    private static func pass(_ nanoseconds: UInt64) async {
        let end = ProcessFigures.now + nanoseconds
        while ProcessFigures.now < end { await Task.yield() }
    }

    private static func restart(_ daemon: HeadlessPipeWire, after nanoseconds: UInt64) async throws -> UInt64 {
        await pass(nanoseconds)
        try await daemon.restart()
        return ProcessFigures.now
    }

    /// Every call does what it says, although the daemon is killed in the midst of it.
    func testAppThatWaitsForItsDaemon() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let giver = try await BusClient.connect(
                as: "org.pipebus.giver", name: "Giver", remote: daemon.remote, allowsConnectionsToSelf: true)
            _ = try await giver.sender("out", channels: .mono, state: ()) { _, _, output in
                output.fill(0) { _ in 0.5 }
            }
            var random = SeededGenerator(seed: 7)
            var leaks = try await LeakCheck([("this process", getpid())], warmUp: 10, at: daemon)
            var times: [Double] = []
            for round in 0..<Self.rounds {
                let delay = UInt64.random(in: 0...20_000_000, using: &random)
                async let restarted = Self.restart(daemon, after: delay)
                let bus = try await BusClient.connect(
                    as: "org.pipebus.brief", name: "Brief", remote: daemon.remote, allowsConnectionsToSelf: true,
                    waitsForDaemon: true)
                let input = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
                do {
                    try await bus.connect("Giver", to: input, timeout: .seconds(20))
                } catch {
                    XCTFail("round \(round), after \(delay) ns: \(error)")
                }
                let socket = try await restarted
                try await eventually("sound, round \(round), after \(delay) ns") {
                    bus.state == .running && input.mixMeter.peak > 0
                }
                times.append(Double(ProcessFigures.now - socket) / 1e6)
                let sources = try await input.sources
                XCTAssertEqual(sources.map(\.port.nodeName), ["Giver.out"], "round \(round), after \(delay) ns")
                await bus.close()
                try leaks.measure()
            }
            try await leaks.assertNothingIsLeft(
                by: "daemon killed, app connecting",
                spareDescriptors: Self.spareDescriptors(installation, connections: Self.rounds - 10))
            times.sort()
            FaultTable.shared.add(
                FaultTable.Row(
                    "daemon killed, app connecting (\(Self.rounds) moments)", saw: ["each call succeeds"],
                    back: "\(Int(times[times.count / 2])), at most \(Int(times.last ?? 0))",
                    kept: leaks.words, on: installation))
            await giver.close()
        }
    }

    /// Without waiting: a call succeeds, or it throws an error of the library, soon.
    func testAppThatDoesNotWait() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            var leaks = try await LeakCheck([("this process", getpid())], warmUp: 10, at: daemon)
            var random = SeededGenerator(seed: 8)
            var errors: [PipeBusError.Code: Int] = [:]
            for round in 0..<Self.rounds {
                let delay = UInt64.random(in: 0...10_000_000, using: &random)
                async let restarted = Self.restart(daemon, after: delay)
                let start = ContinuousClock.now
                do {
                    let bus = try await BusClient.connect(as: "org.pipebus.brief", name: "Brief", remote: daemon.remote)
                    do {
                        let port = try await bus.sender("out", state: ()) { _, _, _ in }
                        _ = try await restarted
                        try await eventually("the port, round \(round)") {
                            bus.state == .running && port.graphID != nil
                        }
                    } catch let error as PipeBusError {
                        errors[error.code, default: 0] += 1
                    }
                    await bus.close()
                } catch let error as PipeBusError {
                    XCTAssertTrue(
                        [.noDaemon, .connectionLost, .timedOut].contains(error.code), "round \(round): \(error)")
                    errors[error.code, default: 0] += 1
                }
                XCTAssertLessThan(start.duration(to: .now), .seconds(8), "round \(round), after \(delay) ns")
                _ = try await restarted
                try leaks.measure()
            }
            try await leaks.assertNothingIsLeft(
                by: "daemon killed, app connecting without waiting",
                spareDescriptors: Self.spareDescriptors(installation, connections: 0))
            // A port is declared, whatever becomes of the daemon.
            XCTAssertTrue(errors.keys.allSatisfy { [.noDaemon, .connectionLost, .timedOut].contains($0) }, "\(errors)")
        }
    }
}
