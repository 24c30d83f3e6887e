// SPDX-License-Identifier: MIT
import Foundation
import PeerProtocol
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// What the app sees and hears.
extension FaultScene {
    /// The states and notices of the app, each with its time.
    var events: [(what: String, time: UInt64)] {
        app.process.errors.lines.compactMap { line in
            guard line.hasPrefix("state ") || line.hasPrefix("notice "),
                let at = line.range(of: " at ", options: .backwards), let time = UInt64(line[at.upperBound...])
            else { return nil }
            let what = line[..<at.lowerBound]
            return (String(what.hasPrefix("state ") ? what.dropFirst(6) : what.dropFirst(7)), time)
        }
    }

    func heard() async throws -> PeerCycles {
        guard case .heard(let cycles) = try await app.perform(.heard) else { throw TestKitError("not heard") }
        return cycles
    }

    /// Waits until sources are heard without a pause from a moment later than this one, and gives the last of these moments;
    /// `nil` without a source.
    func waitForSound(of tags: [UInt64], since moment: UInt64) async throws -> UInt64? {
        var last: UInt64?
        for tag in tags {
            let began = try await eventualResult("the sound of source \(tag)", within: .seconds(20)) {
                let hearing = try await heard().hearings[tag] ?? PeerHearing()
                // More than one cycle.
                return hearing.began > moment && hearing.last > hearing.began ? hearing.began : nil
            }
            last = max(last ?? 0, began)
        }
        return last
    }

    /// Waits until a source is heard in a cycle after a moment.
    func waitForSound(of tag: UInt64, after moment: UInt64) async throws {
        try await eventually("sound of source \(tag)", within: .seconds(20)) {
            try await heard().hearings[tag]?.last ?? 0 > moment
        }
    }

    /// Waits until both are heard in cycles from now on.
    func waitUntilBothAreHeard() async throws {
        let now = ProcessFigures.now
        for tag in [Self.steadyTag, Self.voiceTag] { try await waitForSound(of: tag, after: now) }
    }

    /// Waits until both are heard for so many cycles of the present length.
    func hearCycles(_ count: UInt64) async throws {
        let before = try await heard()
        let frames = count * UInt64(before.lastCycle)
        for tag in [Self.steadyTag, Self.voiceTag] {
            try await eventually("\(count) cycles of source \(tag)", within: .seconds(20)) {
                try await heard().hearings[tag]?.right ?? 0 >= (before.hearings[tag]?.right ?? 0) + frames
            }
        }
    }

    /// Lets time pass in which the graph runs, and checks that nearly all of it is the steady source's sound.
    func hearSteady(for seconds: Double) async throws {
        let before = try await heard()
        try await wait(seconds)
        let after = try await heard()
        func right(_ cycles: PeerCycles) -> UInt64 { cycles.hearings[Self.steadyTag]?.right ?? 0 }
        let frames = (after.cycles - before.cycles) * UInt64(after.lastCycle)
        XCTAssertGreaterThanOrEqual((right(after) - right(before)) * 10, frames * 9, "frames of the other source")
        XCTAssertGreaterThanOrEqual(Double(frames) / Double(after.sampleRate), seconds / 2, "seconds of cycles")
    }

    /// Waits until the app has seen a state or notice, for the first time or once more.
    @discardableResult
    func waitUntilTheAppSees(_ what: String, after count: Int = 0) async throws -> UInt64 {
        try await eventualResult("the app to see “\(what)”: \(events)", within: .seconds(20)) {
            events.dropFirst(count).last { $0.what == what }?.time
        }
    }

    func wait(_ seconds: Double) async throws {
        let end = ProcessFigures.now + UInt64(seconds * 1e9)
        try await eventually("time to pass", within: .seconds(seconds + 10)) { ProcessFigures.now >= end }
    }
}
