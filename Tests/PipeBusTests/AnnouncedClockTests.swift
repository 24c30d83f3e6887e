// SPDX-License-Identifier: MIT
import PipeWireClient
import XCTest

@testable import PipeBus

/// The rules by which a daemon chooses the rate and the cycle's length from its settings.
final class AnnouncedClockTests: XCTestCase {
    private static let usual = [
        "clock.rate": "48000", "clock.quantum": "1024", "clock.min-quantum": "32", "clock.max-quantum": "2048",
        "clock.force-quantum": "0", "clock.force-rate": "0",
    ]

    private func cycle(_ changes: [String: String?], daemon: LibraryVersion? = LibraryVersion(1, 4, 2)) -> CycleSize? {
        var clock = AnnouncedClock()
        for (key, value) in Self.usual {
            XCTAssertEqual(
                clock.received(.init(key: key, type: "", value: value)), value != "0", "\(key) is a change")
        }
        for (key, value) in changes { _ = clock.received(.init(key: key, type: "", value: value)) }
        return clock.cycle(of: daemon)
    }

    private func assert(
        _ changes: [String: String?], _ rate: Int, _ frames: Int, daemon: LibraryVersion? = LibraryVersion(1, 4, 2),
        line: UInt = #line
    ) {
        XCTAssertEqual(
            cycle(changes, daemon: daemon), CycleSize(frameCount: frames, sampleRate: rate), line: line)
    }

    func testRates() {
        assert([:], 48_000, 1024)
        assert(["clock.rate": "96000"], 96_000, 1024)
        // The other settings are for the usual rate.
        assert(["clock.force-rate": "96000"], 96_000, 2048)
        assert(["clock.force-rate": "44100"], 44_100, 512)
        assert(["clock.force-rate": "192000"], 192_000, 4096)
    }

    func testCycleLengths() {
        assert(["clock.quantum": "1000"], 48_000, 512)
        assert(["clock.quantum": "8192"], 48_000, 2048)
        assert(["clock.quantum": "16"], 48_000, 32)
        assert(["clock.quantum": "16", "clock.min-quantum": nil], 48_000, 16)
        assert(["clock.quantum": "8192", "clock.max-quantum": "0"], 48_000, 8192)
        // A maximum below the minimum counts.
        assert(["clock.min-quantum": "4096"], 48_000, 2048)
    }

    func testForcedCycleLengths() {
        assert(["clock.force-quantum": "300"], 48_000, 300)
        assert(["clock.force-quantum": "300", "clock.force-rate": "96000"], 96_000, 300)
        assert(["clock.force-quantum": "8192"], 48_000, 8192)
        assert(["clock.force-quantum": "300"], 48_000, 256, daemon: LibraryVersion(0, 3, 65))
        assert(["clock.force-quantum": "300", "clock.quantum": nil], 48_000, 300)
    }

    /// Any program may write anything.
    func testNonsense() {
        for value in ["", "abc", "-5", "1e3", "99999999999999999999", "48000 ", "4.5", "\u{0}", "9223372036854775807"] {
            assert(["clock.force-rate": value, "clock.force-quantum": value, "clock.min-quantum": value], 48_000, 1024)
            XCTAssertNil(cycle(["clock.rate": value]), value)
            XCTAssertNil(cycle(["clock.quantum": value]), value)
        }
        assert(["clock.quantum": "1", "clock.min-quantum": "0", "clock.force-rate": "1"], 1, 1)
        assert(["clock.quantum": "10000000", "clock.max-quantum": "10000000"], 48_000, 8_388_608)
    }

    /// A rate far above the usual one would give a length that no number of nanoseconds has room for.
    func testALengthBeyondAllUse() {
        let settings = ["clock.rate": "1", "clock.force-rate": "10000000", "clock.max-quantum": "8192"]
        assert(settings.merging(["clock.quantum": "2048"]) { $1 }, 10_000_000, 8_388_608)
        assert(settings.merging(["clock.min-quantum": "10000000"]) { $1 }, 10_000_000, 8_388_608)
        let clock = ClockState(sampleRate: 10_000_000, quantum: 1 << 34, driver: nil)
        XCTAssertEqual(clock.cycleDuration, .nanoseconds(1_717_986_918_400))
        XCTAssertEqual(ClockState(sampleRate: 1, quantum: .max, driver: nil).cycleDuration, .seconds(Int.max))
        XCTAssertEqual(ClockState(sampleRate: 0, quantum: 1, driver: nil).cycleDuration, .seconds(1))
    }

    func testWhatIsNoChange() {
        var clock = AnnouncedClock()
        XCTAssertNil(clock.cycle(of: nil))
        XCTAssertFalse(clock.received(.init(key: nil, type: nil, value: nil)))
        XCTAssertFalse(clock.received(.init(key: "log.level", type: "", value: "3")))
        XCTAssertTrue(clock.received(.init(key: "clock.rate", type: "", value: "48000")))
        XCTAssertFalse(clock.received(.init(key: "clock.rate", type: "", value: "48000")))
        XCTAssertTrue(clock.received(.init(key: "clock.quantum", type: "", value: "64")))
        XCTAssertEqual(clock.cycle(of: nil), CycleSize(frameCount: 64, sampleRate: 48_000))
        XCTAssertTrue(clock.received(.init(key: nil, type: nil, value: nil)))
        XCTAssertNil(clock.cycle(of: nil))
    }
}
