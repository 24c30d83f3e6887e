// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import XCTest

/// The cycles of an app's blocks, in the order in which they ran.
final class TimeLog: Sendable {
    struct Entry: Sendable {
        /// The port's name; `nil` for the block before each cycle.
        var port: String?
        var cycle: AudioCycle
        /// The time at which the block ran.
        var time: ContinuousClock.Instant
    }

    private let log = Mutex<[Entry]>([])

    func note(_ cycle: AudioCycle, of port: String?) {
        let entry = Entry(port: port, cycle: cycle, time: .now)
        log.withLock { $0.append(entry) }
    }

    var entries: [Entry] { log.withLock { $0 } }

    /// The cycles of the block before each cycle.
    var cycles: [AudioCycle] { entries.filter { $0.port == nil }.map(\.cycle) }
    func count(of port: String?) -> Int { log.withLock { $0.count { $0.port == port } } }
    func forget() { log.withLock { $0 = [] } }

    /// The cycles before and after each change of the clock.
    var changes: [(before: AudioCycle, after: AudioCycle)] {
        zip(cycles, cycles.dropFirst()).filter { $0.clock != $1.clock }.map { ($0, $1) }
    }

    /// Number of frames that lie between two cycles, less those that CLOCK_MONOTONIC says.
    static func error(from first: AudioCycle, to last: AudioCycle) -> Double {
        let time = Double(Int64(last.startTime.nanoseconds) - Int64(first.startTime.nanoseconds)) / 1e9
        return Double(Int64(last.position) - Int64(first.position)) - time * Double(last.sampleRate)
    }

    /// The seconds by which the last cycle is later by its position than by the time at which its block ran, both since
    /// the first cycle.
    var lead: Double {
        let cycles = entries.filter { $0.port == nil }
        guard let first = cycles.first, let last = cycles.last else { return .infinity }
        let frames = Double(Int64(last.cycle.position) - Int64(first.cycle.position))
        return frames / Double(last.cycle.sampleRate) - (last.time - first.time) / .seconds(1)
    }

    /// Checks the promises of `AudioCycle.position` and `AudioCycle.clock`.
    func assertOneTime(file: StaticString = #filePath, line: UInt = #line) {
        var last: AudioCycle?
        var lastOfPort: [String: AudioCycle] = [:]
        var clocks: Set<GraphClock> = []
        for entry in entries {
            let cycle = entry.cycle
            if let port = entry.port {
                XCTAssertEqual(cycle.position, last?.position, port, file: file, line: line)
                XCTAssertEqual(cycle.clock, last?.clock, port, file: file, line: line)
                if let last = lastOfPort.updateValue(cycle, forKey: port), cycle.clock != last.clock {
                    assertDiscontinuous(cycle, file: file, line: line)
                }
                continue
            }
            if let last {
                XCTAssertGreaterThanOrEqual(cycle.position, last.position, file: file, line: line)
                if cycle.clock != last.clock {
                    let end = last.position + UInt64(last.frameCount)
                    XCTAssertGreaterThanOrEqual(cycle.position, end, file: file, line: line)
                    assertDiscontinuous(cycle, file: file, line: line)
                }
            }
            if cycle.clock != last?.clock {
                XCTAssertTrue(clocks.insert(cycle.clock).inserted, "a clock came back", file: file, line: line)
            }
            last = cycle
        }
    }

    private func assertDiscontinuous(_ cycle: AudioCycle, file: StaticString, line: UInt) {
        XCTAssertTrue(cycle.isDiscontinuous, file: file, line: line)
        XCTAssertEqual(cycle.missedFrames, 0, file: file, line: line)
    }
}

extension BusClient {
    /// Connects an app with a block before each cycle, and a sender that is connected to a receiver.
    static func connectApp(to remote: String, noting log: TimeLog) async throws -> BusClient {
        let app = try await connect(as: "org.pipebus.app", name: "App", remote: remote, allowsConnectionsToSelf: true)
        try await app.beforeCycle(state: log) { log, cycle in log.note(cycle, of: nil) }
        let sender = try await app.sender("out", state: log) { log, cycle, _ in log.note(cycle, of: "out") }
        let receiver = try await app.receiver("in", fade: .none, state: log) { log, cycle, _ in
            log.note(cycle, of: "in")
        }
        try await app.connect(sender, to: receiver)
        return app
    }
}
