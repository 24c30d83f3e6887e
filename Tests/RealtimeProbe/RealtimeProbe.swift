// SPDX-License-Identifier: MIT
import CPipeWireTesting
import Glibc
import PipeBus

/// Takes every converter, and on the audio thread every kind of port, through every state, for the two real-time checkers to
/// watch.
///
///     realtime-probe [cycles] [violation]
///
/// The daemon, its clock and the app are all in this process, so a run needs nothing else and is the same each time.
/// With a violation, a process block does what none may do; a checker that then finds nothing is broken.
@main
struct RealtimeProbe {
    static func main() async {
        let arguments = CommandLine.arguments
        let cycles = arguments.count > 1 ? Int(arguments[1]) ?? 0 : 500
        let kind = arguments.count > 2 ? Violation.Kind(rawValue: arguments[2]) : .some(.none)
        guard cycles > 0, let kind else {
            fail("usage: realtime-probe [cycles] [\(Violation.Kind.allCases.map(\.rawValue).joined(separator: "|"))]")
        }
        if kind == .none {
            guard Conversions.run(rounds: 20) > 0 else { fail("nothing was converted") }
        }
        do {
            try await run(cycles: cycles, violation: Violation(kind))
        } catch {
            fail("\(error)")
        }
    }

    static func run(cycles: Int, violation: Violation) async throws {
        let graph = try SteppedGraph()
        defer { graph.close() }
        let bus = try await BusClient.connect(
            as: "org.pipebus.probe", name: "Probe", remote: graph.remote, allowsConnectionsToSelf: true)
        let witness = Witness()
        let ports = try await Ports(on: bus, violation: violation, witness: witness)
        let readings = ports.receivers.map { readMeters(of: $0) }
        // One that is read, and one that runs full.
        let captures = try ports.receivers.map { try capture($0) }
        let full = try ports.receivers.map { try $0.makeCapture(minimumCapacity: 20_000) }
        try await Journey(graph: graph, bus: bus, ports: ports, cycles: cycles).run()
        var counts: [UInt64] = []
        for receiver in ports.receivers { counts.append(try await receiver.statistics.cycles) }
        let gaps = try await ports.mixed.statistics.gaps
        await bus.close()
        for reading in readings {
            let count = await reading.value
            guard count > 0 else { fail("the meters were never read") }
        }
        for capture in captures {
            guard await capture.value > 0 else { fail("nothing was captured") }
        }
        for capture in full {
            var dropped = 0
            for await block in capture { dropped += block.droppedFrames }
            guard dropped > 0 else { fail("a capture that nobody read dropped nothing") }
        }
        if let fault = witness.fault { fail(fault) }
        guard let fewest = counts.min(), fewest >= 8 * cycles else { fail("the receivers ran only \(counts) cycles") }
        print("probe: receiver cycles=\(fewest) gaps=\(gaps)")
    }

    /// Reads all there is of a receiver's meters, until it is closed.
    private static func readMeters(of receiver: ReceiverPort) -> Task<Int, Never> {
        Task {
            var count = 0
            for await readings in receiver.meters {
                count += 1
                for reading in readings { _ = receiver.meter(ofLane: reading.source.lane) }
                _ = receiver.mixMeter
            }
            return count
        }
    }

    /// Captures a receiver's sound until it is closed.
    private static func capture(_ receiver: ReceiverPort) throws -> Task<Int, Never> {
        let capture = try receiver.makeCapture()
        return Task {
            var frames = 0
            for await block in capture { frames += block.frameCount }
            return frames
        }
    }

    static func fail(_ message: String) -> Never {
        let line = "realtime-probe: \(message)\n"
        _ = unsafe write(STDERR_FILENO, line, line.utf8.count)
        exit(1)
    }
}
