// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Daemons that end again and again, at any moment of a client's life.
final class ManyRestartsTests: DaemonTestCase {
    private func descriptorCount() -> Int {
        var count = 0
        guard let folder = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { unsafe closedir(folder) }
        while unsafe readdir(folder) != nil { count += 1 }
        return count
    }

    /// Resident memory, in kilobytes.
    private func residentMemory() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (Int(pages[1]) ?? 0) * Int(getpagesize()) / 1024
    }

    func testFiftyRestartsInARowLeaveNothingBehind() async throws {
        let daemon = try await startDaemon()
        let giver = try await BusClient.connect(
            as: "org.pipebus.giver", name: "Giver", remote: daemon.remote, allowsConnectionsToSelf: true)
        let taker = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: daemon.remote, allowsConnectionsToSelf: true)
        _ = try await giver.sender("out", channels: .mono, state: ()) { _, _, output in
            output.fill(0) { _ in 0.5 }
        }
        let input = try await taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        try await taker.connect("Giver", to: input)
        var (descriptors, memory) = (0, 0)
        for round in 1...50 {
            let cycles = try await input.statistics.cycles
            try await daemon.kill()
            // Sometimes at once, sometimes after the clients have noticed it.
            if round.isMultiple(of: 3) { for await state in taker.stateUpdates where state != .running { break } }
            try daemon.startAgain()
            try await eventually("sound, round \(round)") { try await input.statistics.cycles > cycles + 2 }
            // After the caches of libpipewire and of the allocator are filled.
            if round == 10 { (descriptors, memory) = (descriptorCount(), try residentMemory()) }
        }
        try await eventually("no descriptor more than before") { descriptorCount() <= descriptors }
        XCTAssertLessThan(try residentMemory() - memory, 4096, "kilobytes that 40 restarts have left")
        await giver.close()
        await taker.close()
    }

    func testAClientMayBeClosedAtAnyMomentOfARestart() async throws {
        let daemon = try await startDaemon()
        for round in 0..<20 {
            let bus = try await BusClient.connect(
                as: "org.pipebus.brief", name: "Brief", remote: daemon.remote, waitsForDaemon: true)
            _ = try await bus.sender("out", state: ()) { _, _, _ in }
            _ = try await bus.receiver("in", state: ()) { _, _, _ in }
            async let closing: Void = {
                // A different moment in each round.
                for _ in 0..<(round * round * 10) { await Task.yield() }
                await bus.close()
                await bus.close()
            }()
            try await daemon.restart()
            await closing
            XCTAssertEqual(bus.state.reason?.kind, .closedByApp)
        }
    }

    func testAFrozenDaemonIsReplaced() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        daemon.signal(SIGSTOP)
        try await daemon.restart()
        try await eventually("the client to run again") { bus.state == .running && sender.graphID != nil }
        await bus.close()
    }
}
