// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

final class MeterTests: BusTestCase {
    func testAMixAboveFullScaleIsReportedAndNotClipped() async throws {
        let stage = try await Stage.start()
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker, channels: .stereo, panLaw: .balance)
        XCTAssertEqual(receiver.mixMeter, LevelMeter.silent(receiver))
        for number in 1...3 {
            let sender = try await stage.sender("out\(number)") { _, _ in 0.75 }
            try await stage.taker.connect(sender, to: receiver)
        }
        try await stage.step(1024, cycles: 4)
        XCTAssertEqual(hearing.mix(1).last, 2.25)
        XCTAssertEqual(receiver.mixMeter.peak, 2.25)
        XCTAssertEqual(receiver.mixMeter.rms, 2.25, accuracy: 1e-6)
        XCTAssertTrue(receiver.mixMeter.isOver)
        XCTAssertEqual(receiver.meter(ofLane: 0).heldPeak, 0.75)
        XCTAssertFalse(receiver.meter(ofLane: 0).isOver)
        // Two seconds later it is forgotten.
        for source in try await receiver.sources { try await receiver.setVolume(0.25, for: source.id) }
        try await stage.step(8192, cycles: 14)
        XCTAssertEqual(receiver.mixMeter.heldPeak, 0.5625)
        XCTAssertFalse(receiver.mixMeter.isOver)
        try await stage.close()
    }

    func testEachOfTwoReadersHasTheOneLoudSample() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { position, _ in position == 20_000 ? 7 : 0.125 }
        try await stage.taker.connect(sender, to: receiver)
        let readers = (0..<2).map { _ in MeterLog(receiver) }
        for reader in readers { try await eventually("the first reading") { !reader.peaks.isEmpty } }
        // Little enough for the windows that are kept, whenever they are read.
        try await stage.step(64, cycles: 500)
        for reader in readers {
            try await eventually("the loud sample") { reader.peaks.contains(7) }
            let count = reader.peaks.count
            // In one reading only, or in two if its window was not over at the first.
            try await stage.step(1024, cycles: 10)
            try await eventually("more readings") { reader.peaks.count >= count + 3 }
            XCTAssertTrue((1...2).contains(reader.peaks.count { $0 == 7 }), "\(reader.peaks)")
            XCTAssertEqual(reader.peaks.last, 0.125)
        }
        try await stage.close()
    }

    func testTheyAreReadWhileTheAudioThreadWritesThem() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", channels: .mono, fade: .none, state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { _, _ in 0.5 }
        try await stage.taker.connect(sender, to: receiver)
        try await stage.step(64)
        let isDone = Flag()
        let reading = Task {
            var count = 0
            while !isDone.isRaised {
                for meter in [receiver.mixMeter, receiver.meter(ofLane: 0)] {
                    guard meter.peak == 0.5, meter.heldPeak == 0.5, abs(meter.rms - 0.5) < 1e-6 else { return -1 }
                }
                count += 1
                await Task.yield()
            }
            return count
        }
        try await stage.step(64, cycles: 4000)
        isDone.raise()
        let count = await reading.value
        XCTAssertGreaterThan(count, 0, "a reading was not of the sound that was there all the time")
        try await stage.close()
    }
}

extension LevelMeter {
    /// The meter of a lane that never had a source.
    fileprivate static func silent(_ receiver: ReceiverPort) -> LevelMeter {
        receiver.meter(ofLane: receiver.laneCount - 1)
    }
}
