// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// A patchbay that puts a filter into a connection of a steady sound, and is killed at random moments.
struct KilledInsertion {
    let stage: Stage
    let hearing: Hearing
    let source: LocalPort
    let inserted: LocalPort
    let destination: LocalPort

    /// Whatever the patchbay has done by then, the sound is heard all the time.
    ///
    /// - Parameter longest: the time after which the last ones are killed, in milliseconds: more than a whole command takes.
    func assertTheSoundGoesOn(longest: Int) async throws {
        hearing.forget()
        var random = SeededGenerator(seed: 12)
        var ends: [String: Int] = [:]
        for round in 0..<24 {
            let tool = try stage.graph.start(
                Programs.path(of: "pipebus"), ["insert", inserted.nodeName, source.nodeName, destination.nodeName])
            // The last rounds are left alone.
            let end = ContinuousClock.now.advanced(by: .milliseconds(Int.random(in: 10...longest, using: &random)))
            while tool.ending == nil, .now < end || round >= 20 { try await stage.step(256, cycles: 2) }
            tool.signal(SIGKILL)
            let ending = try await tool.waitForEnd()
            try await stage.graph.settle()
            // What it has requested goes on. That is polled by the clock, whatever the cycles do.
            try await stage.step(256, cycles: 60)
            let ended = ContinuousClock.now
            try await eventually("what was requested to end") {
                try await stage.step(256)
                let count = await stage.taker.graph.sources(of: destination.id).count
                return count == 1 || ended.duration(to: .now) > .milliseconds(500)
            }
            let graph = await stage.taker.graph
            let sources = graph.sources(of: destination.id).map(\.title).sorted().joined(separator: " and ")
            ends["\(ending) with \(sources)", default: 0] += 1
            try await stage.stepping(256) { try await goBack() }
        }
        let samples = hearing.mix()
        XCTAssertGreaterThan(samples.count, 20 * 60 * 256)
        XCTAssertGreaterThan(samples.min() ?? 0, 1 - 1e-5, "\(ends)")
        XCTAssertGreaterThan(ends.keys.count { $0.hasPrefix("exited(0)") }, 0, "\(ends)")
        XCTAssertGreaterThan(ends.keys.count { !$0.hasPrefix("exited(0)") }, 0, "\(ends)")
    }

    /// To the beginning: the source alone is connected.
    private func goBack() async throws {
        var graph = await stage.taker.graph
        if graph.connection(from: source.id, to: destination.id) == nil {
            try await stage.taker.connect(source.nodeName, to: destination.nodeName, lingers: true)
        }
        graph = await stage.taker.graph
        for (from, to) in [(inserted.id, destination.id), (source.id, inserted.id)]
        where graph.connection(from: from, to: to) != nil {
            try await stage.taker.disconnect(from, from: to)
        }
    }
}
