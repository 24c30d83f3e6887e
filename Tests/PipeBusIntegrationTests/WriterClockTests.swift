// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A writer of an app with a clock of its own: a second clock beside the stepper's, in the stepper's time.
final class WriterClockTests: BusTestCase {
    func testAMinuteOfAnotherClock() async throws {
        for (rate, offset, block, quantum, jitter, seconds) in [
            (44_100, 500e-6, 441, 512, 0.0, 50.0), (48_000, -500e-6, 1024, 1024, 0, 15),
            (48_000, 300e-6, 64, 1000, 0.001, 15), (8_000, -500e-6, 160, 256, 0.001, 10),
        ] {
            let what = "\(rate) Hz, \(offset * 1e6) ppm, block \(block), quantum \(quantum)"
            var scene = try await WriterClockScene.start(
                rate: rate, offset: offset, block: block, quantum: quantum, jitter: jitter)
            try await scene.run(seconds: 2)
            XCTAssertTrue(scene.writer.isLocked, what)
            scene.forget()
            let before = scene.writer.statistics
            try await scene.run(seconds: 8)
            XCTAssertLessThan(scene.worst, WriterClockScene.difference(after: jitter > 0 ? 0.002 : 0.0006), what)
            scene.forget()
            try await scene.run(seconds: seconds)
            XCTAssertLessThan(scene.worst, WriterClockScene.difference(after: jitter > 0 ? 0.001 : 0.0002), what)
            XCTAssertTrue(scene.writer.isLocked, what)
            XCTAssertEqual(scene.writer.statistics.droppedFrames, before.droppedFrames, what)
            XCTAssertEqual(scene.writer.statistics.underruns, before.underruns, what)
            XCTAssertEqual(scene.writer.latency.frames, WriterClockScene.latency, what)
            XCTAssertLessThan(scene.silent, scene.heard / 10, what)
            try await scene.stage.close()
        }
    }

    func testItRecovers() async throws {
        var scene = try await WriterClockScene.start(rate: 44_100, offset: -400e-6, block: 512, quantum: 512)
        try await scene.run(seconds: 10)
        for accident in 0..<3 {
            switch accident {
            case 0: scene.next += 0.3
            case 1:
                try await scene.stage.taker.disconnect(scene.output, from: scene.input)
                try await scene.run(seconds: 1)
                try await scene.stage.taker.connect(scene.output, to: scene.input)
                try await scene.stage.showToGivers(scene.output, scene.input)
            default: scene.next += 3
            }
            try await scene.run(seconds: 7)
            XCTAssertTrue(scene.writer.isLocked, "\(accident)")
            scene.forget()
            let before = scene.writer.statistics
            try await scene.run(seconds: 5)
            XCTAssertLessThan(scene.worst, WriterClockScene.difference(after: 0.0005), "\(accident)")
            XCTAssertEqual(scene.writer.statistics.droppedFrames, before.droppedFrames, "\(accident)")
            XCTAssertEqual(scene.writer.statistics.underruns, before.underruns, "\(accident)")
        }
        try await scene.stage.close()
    }

    /// Of live sound, at the graph's pace and at that of another clock.
    func testItsFormatChanges() async throws {
        for (hasOwnClock, offset) in [(false, 0.0), (true, 300e-6)] {
            var scene = try await WriterClockScene.start(
                rate: 44_100, offset: offset, block: 256, quantum: 256, hasOwnClock: hasOwnClock)
            try await scene.run(seconds: 2)
            scene.forget()
            // Exact zeros of the sine are not silence.
            let changes = 30
            for _ in 0..<changes {
                try scene.setFormat([8_000, 22_050, 44_100, 48_000, 96_000].randomElement(using: &scene.numbers)!)
                try await scene.run(seconds: 0.5)
            }
            try scene.setFormat(48_000)
            let statistics = scene.writer.statistics
            XCTAssertEqual(statistics.droppedFrames, 0)
            XCTAssertEqual(statistics.underruns, 0)
            XCTAssertLessThan(scene.silent, scene.heard / 1000)
            // A frame that is lost, or there twice, is a step of twice as much, or none and then one.
            XCTAssertLessThan(scene.largestStep, Float(0.5 * 2 * .pi * WriterClockScene.frequency / 48_000 * 1.15))
            if hasOwnClock {
                try await scene.run(seconds: 2)
                XCTAssertTrue(scene.writer.isLocked)
            } else {
                XCTAssertEqual(Int(statistics.writtenFrames), scene.expected)
                // Each change takes up to a frame.
                XCTAssertLessThan(scene.worst, WriterClockScene.difference(after: Double(changes) / 48_000))
            }
            try await scene.stage.close()
        }
    }

    /// What waits is played at a wrong pitch; what is written then leaves exactly at its time.
    func testTheGraphsRateChanges() async throws {
        for (rate, from, to, offset, block) in [
            (44_100, 44_100, 48_000, 300e-6, 256), (48_000, 44_100, 48_000, 300e-6, 441),
            (48_000, 48_000, 44_100, -300e-6, 64), (96_000, 44_100, 96_000, 300e-6, 1000),
            (8_000, 96_000, 48_000, -300e-6, 80), (44_100, 44_100, 48_000, 0, 256), (32_000, 48_000, 44_100, 0, 64),
        ] {
            let what = "\(rate) Hz, \(from) to \(to), \(offset)"
            let hasOwnClock = offset != 0
            var scene = try await WriterClockScene.start(
                rate: rate, offset: offset, block: block, quantum: 512, jitter: hasOwnClock ? 0.001 : 0,
                hasOwnClock: hasOwnClock, graphRate: from)
            try await scene.run(seconds: 10)
            XCTAssertTrue(scene.writer.isLocked, what)
            try await scene.stage.graph.setClock(0, sampleRate: to)
            scene.graphRate = to
            // The latency, and two blocks.
            try await scene.run(seconds: 0.4)
            let before = scene.writer.statistics
            scene.forget()
            for _ in 0..<16 {
                XCTAssertTrue(scene.writer.isLocked, what)
                try await scene.run(seconds: 0.1)
            }
            XCTAssertLessThan(scene.worst, WriterClockScene.difference(after: 0.0001), what)
            XCTAssertEqual(scene.writer.statistics.droppedFrames, before.droppedFrames, what)
            XCTAssertEqual(scene.writer.statistics.underruns, before.underruns, what)
            XCTAssertLessThan(scene.silent, scene.heard / 100, what)
            try await scene.stage.close()
        }
    }

    func testAClockOfItsOwnIsLiveAndHasARate() async throws {
        let stage = try await Stage.start()
        let output = try await stage.givers.sender("out")
        for (rate, latency) in [(nil, 4800), (44_100, nil)] as [(Int?, Int?)] {
            do {
                _ = try await output.makeWriter(
                    format: StreamFormat(.float32, sampleRate: rate), liveLatency: latency, hasOwnClock: true)
                XCTFail("not refused")
            } catch let error as PipeBusError {
                XCTAssertEqual(error.code, .invalidArgument)
            }
        }
        try await stage.close()
    }
}
