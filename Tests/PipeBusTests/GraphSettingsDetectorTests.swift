// SPDX-License-Identifier: MIT
import PipeWireClient
import XCTest

@testable import PipeBus

final class GraphSettingsDetectorTests: XCTestCase {
    private typealias Change = GraphSettingsDetector.Change

    private var detector = GraphSettingsDetector()
    private var now = ContinuousClock.now

    override func setUp() async throws { detector = GraphSettingsDetector() }

    private func settings(
        _ driver: UInt64 = 1, title: String? = nil, rate: Int = 48_000, frames: Int = 1024, freewheels: Bool = false
    ) -> GraphSettingsDetector.Settings {
        .init(
            driver: driver, driverTitle: title ?? "Device \(driver)",
            cycle: CycleSize(frameCount: frames, sampleRate: rate), isFreewheeling: freewheels)
    }

    private func look(_ settings: GraphSettingsDetector.Settings?, after pause: Double = 0.5) -> [Change] {
        now += .seconds(pause)
        return detector.update(settings, at: now)
    }

    /// The changes that two looks find.
    private func see(_ settings: GraphSettingsDetector.Settings?, after pause: Double = 0.5) -> [Change] {
        look(settings, after: pause) + look(settings)
    }

    func testEachChangeIsToldOnce() {
        XCTAssertEqual(see(settings()), [])
        XCTAssertEqual(see(settings(2)), [.driver(from: "Device 1", to: "Device 2")])
        XCTAssertEqual(see(settings(2)), [])
        XCTAssertEqual(see(settings(2, rate: 44_100)), [.sampleRate(from: 48_000, to: 44_100)])
        XCTAssertEqual(see(settings(2, rate: 44_100, frames: 64)), [.quantum(from: 1024, to: 64)])
        XCTAssertEqual(
            see(settings(1, rate: 96_000, frames: 256)),
            [
                .driver(from: "Device 2", to: "Device 1"), .sampleRate(from: 44_100, to: 96_000),
                .quantum(from: 64, to: 256),
            ])
        XCTAssertEqual(see(settings(1, rate: 96_000, frames: 256)), [])
    }

    func testFreewheelingIsOneEventWithItsDriver() {
        XCTAssertEqual(see(settings()), [])
        XCTAssertEqual(see(settings(7, freewheels: true)), [.freewheelingBegan(driver: "Device 7")])
        XCTAssertEqual(see(settings(freewheels: false)), [.freewheelingEnded(driver: "Device 1")])
        XCTAssertEqual(see(settings(freewheels: true)), [.freewheelingBegan(driver: "Device 1")])
    }

    /// A device has another serial in each session, and another device may have its serial.
    func testAChangeOverARestartIsTold() {
        XCTAssertEqual(see(settings(rate: 44_100)), [])
        detector.sessionEnded()
        XCTAssertEqual(
            see(settings(7, title: "Device 1", frames: 256)),
            [.sampleRate(from: 44_100, to: 48_000), .quantum(from: 1024, to: 256)])
        XCTAssertEqual(see(settings(7, title: "Device 1", frames: 256)), [])
        detector.sessionEnded()
        XCTAssertEqual(
            see(settings(7, title: "Other", frames: 256)), [.driver(from: "Device 1", to: "Other")])
        detector.sessionEnded()
        detector.reset()
        XCTAssertEqual(see(settings(1, frames: 64)), [])
    }

    func testAValueThatOnlyOneLookSawIsNone() {
        XCTAssertEqual(see(settings()), [])
        for frames in [64, 1024, 128, 1024, 256, 1024] { XCTAssertEqual(look(settings(frames: frames)), []) }
        XCTAssertEqual(look(settings()), [])
    }

    func testChangesInSeriesAreToldEveryTenSeconds() {
        XCTAssertEqual(see(settings()), [])
        for frames in [64, 128, 256, 512] { XCTAssertEqual(see(settings(frames: frames)).count, 1) }
        // For 100 seconds there is another one in every second.
        var changes: [Change] = []
        for count in 1...100 { changes += see(settings(frames: 512 + count)) }
        XCTAssertEqual(changes.count, 10, "\(changes)")
        // The last one is told, once.
        changes = []
        for _ in 0..<20 { changes += see(settings(frames: 100)) }
        XCTAssertEqual(changes.count, 1)
        guard case .quantum(let old, to: 100) = changes.first else { return XCTFail("\(changes)") }
        XCTAssertGreaterThan(old, 512)
        // Other kinds have limits of their own.
        XCTAssertEqual(see(settings(2, frames: 100)).count, 1)
    }

    func testAValueThatReturnsMeanwhileIsNotTold() {
        XCTAssertEqual(see(settings()), [])
        for frames in [64, 128, 256, 1024] { XCTAssertEqual(see(settings(frames: frames)).count, 1) }
        for _ in 0..<2 {
            XCTAssertEqual(see(settings(frames: 64)), [])
            XCTAssertEqual(see(settings()), [])
        }
        XCTAssertEqual(see(settings(), after: 60), [])
    }

    func testTimesWithoutADriverOrAConnection() {
        XCTAssertEqual(see(nil), [])
        XCTAssertEqual(see(settings()), [])
        XCTAssertEqual(see(nil), [])
        XCTAssertEqual(see(settings()), [])
        XCTAssertEqual(see(nil), [])
        XCTAssertEqual(see(settings(2, frames: 64)).count, 2)
        detector.reset()
        XCTAssertEqual(see(settings(3, frames: 128)), [])
    }

    func testADriverMayGetAnotherTitle() {
        XCTAssertEqual(see(settings()), [])
        XCTAssertEqual(see(settings(title: "Speakers")), [])
        XCTAssertEqual(see(settings(2)), [.driver(from: "Speakers", to: "Device 2")])
    }

    func testTheSentencesHoldBothValues() {
        let cases: [(change: Change, kind: Notice.Kind, words: [String])] = [
            (.driver(from: "A", to: "B"), .driverChanged, ["B drives", "place of A"]),
            (.sampleRate(from: 48_000, to: 44_100), .sampleRateChanged, ["44100 Hz now", "was 48000 Hz"]),
            (.quantum(from: 64, to: 128), .quantumChanged, ["128 frames now", "had 64"]),
            (.freewheelingBegan(driver: "A"), .freewheelingBegan, ["freewheels now", "A"]),
            (.freewheelingEnded(driver: "B"), .freewheelingEnded, ["real time again", "B"]),
        ]
        for (change, kind, words) in cases {
            let notice = Notice(change)
            XCTAssertEqual(notice.kind, kind)
            for word in words { XCTAssertTrue(notice.message.contains(word), notice.message) }
        }
    }
}
