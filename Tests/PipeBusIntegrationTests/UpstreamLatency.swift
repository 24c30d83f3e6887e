// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source of a filter is connected and disconnected, and a receiver behind the filter gets the new age of its sound.
enum UpstreamLatency {
    static func check(installation: PipeWireInstallation) async throws {
        let stage = try await Stage.start(installation: installation)
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let filter = try await stage.delay("fx", by: 480)
        let other = try await stage.sender("other", latency: 100) { _, _ in 0 }
        let late = try await stage.sender("late", latency: 1000) { _, _ in 0 }
        try await stage.taker.connect(filter, to: receiver)
        try await stage.taker.connect(other, to: receiver)
        let log = await UpdateLog(receiver)
        _ = try await log.next("the filter's own latency") { $0.sources.first?.latency.frames == 480 }
        // Somewhere in front of the filter, and not at the receiver at all.
        try await stage.taker.connect(late, to: filter)
        let later = try await log.next("the longer way") { $0.sources.first?.latency.frames == 1480 }
        XCTAssertEqual(later.sources.map(\.delay.frames), [0, 1380])
        XCTAssertEqual(Set(later.changed.map(\.id)), [filter.id, other.id], "the other one waits longer")
        try await stage.taker.disconnect(late, from: filter)
        let shorter = try await log.next("the shorter way") { $0.sources.first?.latency.frames == 480 }
        XCTAssertEqual(shorter.sources.map(\.delay.frames), [0, 380])
        XCTAssertEqual(shorter.sources.map(\.isAligned), [true, true])
        try await stage.close()
    }
}
