// SPDX-License-Identifier: MIT
import Foundation

/// Instructions of one call of the process callback, from the function that libpipewire calls down to the gain itself.
///
/// callgrind makes a program some fifty times slower, and a cycle that comes late may find no buffer and take the short
/// way. So the graph's clock is slowed down: a cycle lasts 16 ms and has as many frames as before. What depends on time is left
/// out, so the figures are the same on every run.
struct InstructionMeasurement {
    let place: Workplace

    private static let rate = 4_000
    private static let calls = 250
    private static let timeout = 60.0
    /// Some 65 instructions, four times a second and when a call is the longest so far: less than one a cycle in real time.
    private static let timed = "crt_load_note"

    /// The gain filter.
    func run(into report: inout Report) throws {
        let instructions = try measure([.pipebus, .pwFilter])
        report.measures.append(
            compare(.pipebus, .pwFilter, named: "instructions per call, to \(Peer.pwFilter.title)", instructions))
    }

    /// The receivers.
    func runReceivers(into report: inout Report) throws {
        let instructions = try measure(ReceiverMeasurement.programs)
        for (ours, peer) in ReceiverMeasurement.pairs {
            report.receivers.append(
                compare(ours, peer, named: "instructions, \(ours.title), to \(peer.title)", instructions))
        }
    }

    /// The calls of a thread that reads.
    func runReaders(into report: inout Report) throws {
        let (ours, peer) = (Peer.reader, Peer.ringReader)
        let instructions = try measure([ours, peer])
        report.streams.append(
            compare(ours, peer, named: "Reader.read, code, to \(peer.title)", instructions, aim: 1.1))
    }

    private func compare(
        _ ours: Peer, _ peer: Peer, named name: String, _ instructions: [Peer: Double], aim: Double = 1.6
    ) -> Measure {
        let values = [instructions[ours, default: .nan], instructions[peer, default: .nan]]
        // A twelfth of ours measures the load of the port, which the peer does not.
        return Measure(name: name, unit: "", ours: values[0], peer: values[1], ratio: values[0] / values[1], aim: aim)
    }

    /// Instructions per call of each program.
    private func measure(_ peers: [Peer]) throws -> [Peer: Double] {
        Progress.show("instructions")
        defer { Progress.clear() }
        let daemon = try Daemon(rate: Self.rate, in: place)
        defer { daemon.end() }
        let senders = try peers.contains(where: \.isReceiver) ? Senders(in: place) : nil
        defer { senders?.end() }
        var clients: [(peer: Peer, client: Client)] = []
        defer { for (_, client) in clients { client.end() } }
        for peer in peers { clients.append((peer, try start(peer))) }
        for (_, client) in clients { try client.join(daemon) }
        // Forget the cycles in which links were missing.
        for (_, client) in clients {
            try Program.run(["callgrind_control", "-z", "\(client.program.identifier)"], in: place)
            try client.beginWindow()
        }
        for (_, client) in clients {
            try wait(upTo: Self.timeout, for: "\(Self.calls) cycles of \(client.name)") {
                try client.endWindow().cycles >= Self.calls
            }
            // Before anything is torn down.
            try Program.run(["callgrind_control", "-d", "\(client.program.identifier)"], in: place)
        }
        return try Dictionary(
            uniqueKeysWithValues: clients.map { ($0.peer, try profile(of: $0.client, $0.peer).instructionsPerCall) })
    }

    private func start(_ peer: Peer) throws -> Client {
        let name = peer.rawValue
        return try Client(
            peer, name: name,
            under: [
                "valgrind", "--quiet", "--tool=callgrind", "--collect-atstart=no",
                "--toggle-collect=\(peer.processFunction ?? "")", "--callgrind-out-file=\(name).callgrind",
            ], timeout: Self.timeout, in: place)
    }

    private func profile(of client: Client, _ peer: Peer) throws -> CallgrindProfile {
        // The number of the first dump.
        let file = place.folder.appendingPathComponent("\(client.name).callgrind.1")
        let profile = CallgrindProfile(
            try String(contentsOf: file, encoding: .utf8), of: peer.processFunction ?? "",
            without: Self.timed)
        // One or two less than cycles at most.
        guard profile.calls >= Self.calls - 2 else {
            throw BenchError(
                "callgrind saw \(profile.calls) calls of \(client.name)'s callback instead of \(Self.calls).")
        }
        return profile
    }
}
