// SPDX-License-Identifier: MIT
import AudioConversion
import XCTest

/// A control loop follows an app's clock by small changes of the ratio.
final class MovingRatioTests: ConversionTestCase {
    private let ratio = 48_000.0 / 44_100
    private let frequency = 1_000.0 / 44_100

    /// A sine of 1 kHz through a resampler whose ratio is set before each block of output. Checks the first frame of each block
    /// against the sine at the time that the resampler says, and returns all of it.
    private func wander(_ frames: Int, block: () -> Int, ratio next: (Int) -> Double) -> [Float] {
        var resampler = Resampler(channelCount: 1, ratio: ratio)
        let input = TestRows([(0..<frames).map { Float(0.5 * sin(2 * .pi * frequency * Double($0))) }])
        let output = TestRows(count: 1, frames: frames + frames / 8)
        var (consumed, produced, turn) = (0, 0, 0)
        var worst = 0.0
        while true {
            resampler.setRatio(next(turn))
            turn += 1
            let time = Double(consumed) - resampler.lead
            let step = unsafe resampler.process(
                input.rows, from: consumed, inputFrames: frames - consumed, into: output.rows, at: produced,
                outputCapacity: block())
            if step.produced == 0 { break }
            // The sound begins with an edge, which is no sine.
            if time > 500 {
                let expected = 0.5 * sin(2 * .pi * frequency * time)
                worst = max(worst, abs(Double(unsafe output.rows[0]![produced]) - expected))
            }
            consumed += step.consumed
            produced += step.produced
        }
        XCTAssertLessThan(worst, 2e-6, "the time of a frame is not the one that was said")
        return output.prefix(produced)[0]
    }

    /// The loudest that is left of a sine in windows of 10 ms, beside slow changes of its phase: dB.
    private func ratioOfWorstWindow(_ samples: [Float]) -> Double {
        stride(from: 2_000, to: samples.count - 2_000, by: 480).map {
            SineFit(samples[$0..<($0 + 480)], frequency: 1_000 / 48_000, degree: 4).ratio
        }.min()!
    }

    func testAWobbleOf500PPMLeavesASineClean() {
        let samples = wander(100_000, block: { 256 }) { ratio * (1 + 500e-6 * sin(Double($0) * 2 * .pi / 100)) }
        XCTAssertGreaterThan(ratioOfWorstWindow(samples), 115)
    }

    func testRandomBlocksAndRandomRatiosKeepTheTime() {
        let samples = wander(60_000, block: { Int.random(in: 1...1_000, using: &numbers) }) { _ in
            ratio * (1 + .random(in: -500e-6...500e-6, using: &numbers))
        }
        XCTAssertGreaterThan(samples.count, 60_000)
    }

    func testBlocksOfOneFrameReachTheRatio() {
        let samples = wander(3_000, block: { 1 }) { _ in ratio * (1 + 500e-6) }
        // Nearly from the start on.
        XCTAssertEqual(Double(samples.count), (3_000 - 46) * ratio * (1 + 500e-6), accuracy: 2)
    }

    func testTheNumberOfFramesFollowsTheRatio() {
        for deviation in [-500e-6, 500e-6] {
            let samples = wander(200_000, block: { 512 }) { _ in ratio * (1 + deviation) }
            XCTAssertEqual(Double(samples.count), (200_000 - 46) * ratio * (1 + deviation), accuracy: 3)
        }
    }

    func testRatiosBeyondTheRangeAreClamped() {
        for (wanted, expected) in [(10.0, ratio * 1.001), (0, ratio * 0.999), (-.infinity, ratio * 0.999)] {
            let samples = wander(100_000, block: { 512 }) { _ in wanted }
            XCTAssertEqual(Double(samples.count), (100_000 - 46) * expected, accuracy: 3)
        }
        let samples = wander(100_000, block: { 512 }) { _ in .nan }
        XCTAssertEqual(Double(samples.count), (100_000 - 46) * ratio, accuracy: 2)
    }

    /// Lanes of one clock get their input in different pieces: records of a cycle each, or silence. They have to stay in step.
    func testPiecesOfTheInputChangeNothing() {
        for channels in [1, 2] {
            let input = TestRows((0..<channels).map { _ in noise(60_000) })
            let requests = (0..<300).map { _ in Int.random(in: 1...200, using: &numbers) }
            let ratios = requests.map { _ in ratio * (1 + .random(in: -500e-6...500e-6, using: &numbers)) }
            /// All requests, each with the ratio that is set before it.
            func run(_ piece: () -> Int) -> (samples: [[Float]], lead: Double) {
                var resampler = Resampler(channelCount: channels, ratio: ratio)
                let output = TestRows(count: channels, frames: 61_000)
                var (consumed, produced) = (0, 0)
                for (request, ratio) in zip(requests, ratios) {
                    resampler.setRatio(ratio)
                    let end = produced + request
                    while produced < end {
                        let step = unsafe resampler.process(
                            input.rows, from: consumed, inputFrames: min(piece(), 60_000 - consumed), into: output.rows,
                            at: produced,
                            outputCapacity: end - produced)
                        consumed += step.consumed
                        produced += step.produced
                    }
                }
                return ((0..<channels).map { output.prefix(produced)[$0] }, resampler.lead - Double(consumed))
            }
            let whole = run { 8192 }
            for sizes in [1...1, 64...64, 256...256, 1...700] {
                let parts = run { Int.random(in: sizes, using: &numbers) }
                XCTAssertEqual(parts.samples, whole.samples, "\(channels) channels, pieces of \(sizes)")
                XCTAssertEqual(parts.lead, whole.lead, accuracy: 1e-9)
            }
        }
    }
}
