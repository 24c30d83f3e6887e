// SPDX-License-Identifier: MIT
import Foundation

/// The time until an app has the graph of a daemon with 10 000 ports, beside that of `pw-dump | jq`: both answer how many links lead to
/// one node. And the time of the pure part, from what `pw-dump` has recorded.
struct LoadMeasurement {
    let place: Workplace

    private static let nodes = 2500
    /// The daemon takes a megabyte for each, and four minutes for 20 000. `graph-model` has all of them.
    private static let links = 1000
    private static let rounds = 7
    /// A node that links lead to.
    private static let target = "busy-2"

    func run(into report: inout Report) throws {
        defer { Progress.clear() }
        if let reason = Self.reasonToSkip(in: place) {
            report.notes.append("The full load was not measured: \(reason)")
            return
        }
        Progress.show("a daemon of \(4 * Self.nodes) ports")
        let daemon = try Daemon(rate: Windows.rate, in: place)
        defer { daemon.end() }
        try daemon.setFrames(Daemon.mostFrames, for: [])
        let graph = try BusyGraph(nodes: Self.nodes, links: Self.links, events: 1, isFlat: true, in: place)
        defer { graph.end() }
        let dump = place.folder.appendingPathComponent("dump.json").path
        try Program.run(["sh", "-c", "pw-dump > '\(dump)'"], name: "pw-dump", in: place)
        try measure(into: &report)
        try GraphModelMeasurement(place: place).run(["recorded", dump], into: &report)
    }

    private func measure(into report: inout Report) throws {
        let ours = "'\(place.executables.appendingPathComponent("load-pipebus").path)' \(Self.links) \(Self.target)"
        let question =
            "(.[] | select(.info.props[\"node.name\"]? == \"\(Self.target)\") | .id) as $node "
            + "| [.[] | select(.type == \"PipeWire:Interface:Link\" and .info[\"input-node-id\"] == $node)] | length"
        let peer = "pw-dump | jq '\(question)'"
        var times: [(ours: Double, peer: Double)] = []
        var inside: [Double] = []
        for round in 1...Self.rounds {
            Progress.show("the graph of \(4 * Self.nodes) ports, round \(round) of \(Self.rounds)")
            let (answer, time) = try run(ours)
            let (peerAnswer, peerTime) = try run(peer)
            guard answer.count == 2, peerAnswer.count == 1, answer[0] == peerAnswer[0], let own = Double(answer[1])
            else {
                throw BenchError("load-pipebus and jq differ: \(answer) and \(peerAnswer).")
            }
            times.append((time, peerTime))
            inside.append(own)
        }
        report.loads.append(
            Measure(
                name: "\(4 * Self.nodes) ports, \(Self.links) links, to pw-dump | jq", unit: "ms",
                ours: times.map(\.ours).median, peer: times.map(\.peer).median,
                ratio: times.map { $0.ours / $0.peer }.median, aim: 1))
        report.graphFigures.append(
            GraphFigure(
                name: "BusClient.connect until the graph is complete", unit: "ms", value: inside.median, aim: nil))
    }

    /// The words of the command's answer, and the milliseconds that it took.
    private func run(_ command: String) throws -> (answer: [Substring], time: Double) {
        let script =
            "start=$(date +%s%N) && answer=$(\(command)) && end=$(date +%s%N) && echo $answer $(((end - start) / 1000))"
        guard let words = try Program.run(["sh", "-c", script], name: "load", in: place).last?.split(separator: " "),
            let time = words.last.flatMap({ Double($0) })
        else { throw BenchError("The question about the graph was not answered.") }
        return (words.dropLast(), time / 1000)
    }

    // MARK: Limits

    /// Megabytes, most of them the daemon's.
    private static let memory = 5000
    /// Open files of the daemon, and of the program that has the nodes.
    private static let files: rlim_t = 16_000

    private static func reasonToSkip(in place: Workplace) -> String? {
        guard place.hasCommand("jq") else { return "the command jq is missing; install it: apt-get install jq." }
        let lines = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let available = lines.first { $0.hasPrefix("MemAvailable:") }?.split(separator: " ").dropFirst().first
        guard let kilobytes = available.flatMap({ Int($0) }), kilobytes / 1000 >= memory else {
            return "it takes \(memory) MB of free memory."
        }
        // The programs that are started inherit the limit.
        var limit = rlimit()
        let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(openFiles, &limit) == 0, limit.rlim_max >= files else {
            return "a process may not open \(files) files."
        }
        limit.rlim_cur = max(limit.rlim_cur, files)
        guard unsafe setrlimit(openFiles, &limit) == 0 else { return "the number of files cannot be raised." }
        return nil
    }
}
