// SPDX-License-Identifier: MIT
import Foundation

/// The time from a request to connect two ports until the destination hears the source: `connect` beside links that a program in C
/// requests. Both destinations wait in one graph, and take turns.
struct SoundMeasurement {
    let place: Workplace

    private static let quanta = [64, 1024]
    private static let rounds = 40

    func run(into report: inout Report) throws {
        defer { Progress.clear() }
        let daemon = try Daemon(rate: Windows.rate, in: place)
        defer { daemon.end() }
        let senders = try Senders(in: place)
        defer { senders.end() }
        var programs: [Program] = []
        defer { Program.end(programs) }
        for name in ["sound-pipebus", "sound-pw-filter"] {
            Progress.show(name)
            let executable = place.executables.appendingPathComponent(name).path
            let program = try Program([executable, name, "sender-1"], name: name, in: place)
            programs.append(program)
            try program.waitForLine("ready", upTo: 20)
        }
        for frames in Self.quanta {
            try daemon.setFrames(frames, for: [])
            var times: [[[Double]]] = [[], []]
            for round in 0...Self.rounds {
                Progress.show("first sound, \(frames) frames, round \(round) of \(Self.rounds)")
                for turn in programs.indices {
                    let index = (round + turn) % programs.count
                    let answer = try measure(programs[index])
                    // Work of the start is in the first round.
                    if round > 0 { times[index].append(answer) }
                }
            }
            for (place, part) in ["first sound", "both channels"].enumerated() {
                let (ours, peer) = (times[0].map { $0[place] }.median, times[1].map { $0[place] }.median)
                report.sounds.append(
                    Measure(
                        name: "\(part), \(frames) frames, to C", unit: "µs", ours: ours, peer: peer, ratio: ours / peer,
                        aim: 1.1))
            }
        }
    }

    /// Microseconds.
    private func measure(_ program: Program) throws -> [Double] {
        let count = program.lines.count
        try program.send(SIGUSR1)
        try wait(upTo: 20, for: "a source to be heard") {
            try program.checkAlive()
            return program.lines.count > count
        }
        let times = program.lines[count].split(separator: " ").compactMap { Double($0).map { $0 / 1000 } }
        guard times.count >= 2, times.allSatisfy({ $0 > 0 }) else { throw BenchError("A source was not heard.") }
        return times
    }
}
