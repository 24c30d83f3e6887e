// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Many clients at once, half of which hear the other half. All of them are back after a restart of the daemon.
///
/// `PIPEBUS_CLIENTS` says how many, instead of 40. The time grows with the square of it, since every client reads the whole graph.
final class ManyClientsTests: DaemonTestCase {
    private static let pairs = max(
        1, (ProcessInfo.processInfo.environment["PIPEBUS_CLIENTS"].flatMap { Int($0) } ?? 40) / 2)

    /// Kilobytes by which each may grow: all of them read the graph at once, and the allocator keeps some of what that takes. A whole
    /// one takes 600 to 1400. What each of many restarts leaves behind is measured by `ManyRestartsTests`.
    private static let memoryOfAClient = 400

    func testAllAreBack() async throws { try await restart(.system) }
    func testAllAreBackOnANewerPipeWire() async throws { try await restart(.newer()) }

    private func restart(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation, limit: .seconds(1200))
        try await daemon.skipIfTooOldForThisProcess()
        let whole = try await LeakCheck([("this process", getpid())], at: daemon)
        let memoryBefore = try ProcessFigures.memory()
        var buses: [BusClient] = []
        var inputs: [ReceiverPort] = []
        let start = ProcessFigures.now
        for number in 0..<Self.pairs {
            let giver = try await BusClient.connect(
                as: "org.pipebus.giver\(number)", name: "Giver \(number)", remote: daemon.remote,
                allowsConnectionsToSelf: true)
            _ = try await giver.sender("out", channels: .mono, state: ()) { _, _, output in
                output.fill(0) { _ in 0.5 }
            }
            let taker = try await BusClient.connect(
                as: "org.pipebus.taker\(number)", name: "Taker \(number)", remote: daemon.remote,
                allowsConnectionsToSelf: true)
            let input = try await taker.receiver("in", channels: .mono, lanes: 1, state: ()) { _, _, _ in }
            try await taker.connect("Giver \(number)", to: input, timeout: .seconds(60))
            buses += [giver, taker]
            inputs.append(input)
        }
        try await eventually("sound everywhere", within: .seconds(60)) { inputs.allSatisfy { $0.mixMeter.peak > 0 } }
        let made = ProcessFigures.now
        var restart = try await LeakCheck([("this process", getpid())], at: daemon)
        let memory = try ProcessFigures.memory()
        print("\(buses.count) clients after \((made - start) / 1_000_000) ms, \(memory - memoryBefore) kB")
        var cycles: [UInt64] = []
        for input in inputs { cycles.append(try await input.statistics.cycles) }
        try await daemon.kill()
        try await eventually("all to be interrupted", within: .seconds(60)) {
            buses.allSatisfy { $0.state.reason?.kind == .daemonGone }
        }
        try daemon.startAgain()
        try await daemon.waitUntilItListens()
        let socket = ProcessFigures.now
        var back: [Double] = []
        do {
            try await eventually("sound everywhere again", within: .seconds(60 + 2 * Self.pairs)) {
                var count = 0
                for (input, before) in zip(inputs, cycles) where input.mixMeter.peak > 0 {
                    if try await input.statistics.cycles > before + 2 { count += 1 }
                }
                while back.count < count { back.append(Double(ProcessFigures.now - socket) / 1e6) }
                return count == inputs.count
            }
        } catch {
            for (index, input) in inputs.enumerated() {
                let statistics = try await input.statistics
                guard input.mixMeter.peak == 0 || statistics.cycles <= cycles[index] + 2 else { continue }
                let taker = buses[2 * index + 1]
                let found = await taker.graph.connections.filter { $0.destination == input.graphID }
                print(
                    "without sound: \(input.nodeName), \(taker.state), \(statistics), "
                        + "sources \(try await input.sources), links \(found), giver \(buses[2 * index].state), "
                        + "sees \(await taker.graph.ports.count) ports")
                for name in ["Giver \(index).out", input.nodeName] {
                    // What the daemon knows of it, its state above all.
                    guard let id = try? await daemon.node(named: name) else { continue }
                    let tool = try daemon.run("pw-cli", ["info", "\(id)"], client: installation)
                    _ = try? await tool.waitForEnd()
                    print(tool.output.text)
                }
            }
            // The tests after this one need what so many clients take, such as the user's inotify watches.
            for bus in buses { await bus.close() }
            throw error
        }
        try await eventually("all to run", within: .seconds(60)) { buses.allSatisfy { $0.state == .running } }
        try restart.measure()
        FaultTable.shared.add(
            FaultTable.Row(
                "daemon killed, \(buses.count) clients", saw: ["interrupted daemonGone", "running"],
                back: "\(Int(back[back.count / 2])), at most \(Int(back.last ?? 0))",
                kept: restart.words, on: installation))
        // A client has the descriptor of a peer's node or not, by the order in which the daemon's messages come. With the library of
        // 1.4, each has one more after the first restart, and no more after later ones.
        try await restart.assertNothingIsLeft(
            by: "a restart", memory: Self.memoryOfAClient * buses.count, spareDescriptors: buses.count + 8,
            within: .seconds(60))
        for bus in buses { await bus.close() }
        // libpipewire 0.3.65 may keep one for each connection of ports at a newer daemon. These were connected twice.
        let kept = installation == .system ? 0 : 2 * buses.count
        // A closed client keeps its loop until the app lets go of it.
        (buses, inputs) = ([], [])
        try await whole.assertNothingIsLeft(by: "all clients", spareDescriptors: 8 + kept, within: .seconds(60))
    }
}
