// SPDX-License-Identifier: MIT
import AudioConversion
import CSampleRate
import XCTest

final class ResamplerTests: ConversionTestCase {
    private static let ratios: [Double] = [
        48_000 / 44_100, 44_100 / 48_000, 2, 0.5, 1.0003, 0.9997, 96_000 / 44_100, 8_000 / 48_000, 1.0 / 48, 48,
    ]

    /// What libsamplerate makes of a whole signal in one call, interleaved.
    private func reference(_ input: [[Float]], ratio: Double, _ quality: Resampler.Quality) -> [Float] {
        let channels = input.count
        let frames = input[0].count
        let interleaved = (0..<frames * channels).map { input[$0 % channels][$0 / channels] }
        let capacity = Int(Double(frames) * ratio) + 10
        var output = [Float](repeating: 0, count: capacity * channels)
        var count = 0
        unsafe interleaved.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { destination in
                var data = unsafe SRC_DATA(
                    data_in: source.baseAddress, data_out: destination.baseAddress, input_frames: frames,
                    output_frames: capacity, input_frames_used: 0, output_frames_gen: 0, end_of_input: 0,
                    src_ratio: ratio)
                let converter = quality == .best ? SRC_SINC_BEST_QUALITY : SRC_SINC_MEDIUM_QUALITY
                let status = unsafe src_simple(&data, Int32(converter), Int32(channels))
                XCTAssertEqual(status, 0)
                count = unsafe data.output_frames_gen
            }
        }
        return Array(output[..<(count * channels)])
    }

    private func randomBlock() -> Int {
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: 1
        case 1: Int.random(in: 1...40, using: &numbers)
        case 2: Int.random(in: 1...600, using: &numbers)
        default: Int.random(in: 1...10_000, using: &numbers)
        }
    }

    func testEqualsLibsamplerateToTheBitWhateverTheBlocks() {
        for quality in Resampler.Quality.allCases {
            for ratio in Self.ratios {
                for channels in [1, 2, 3, 4, 6, 7] where quality == .medium || channels < 3 {
                    let frames = ratio < 0.1 ? 24_000 : ratio > 10 ? 700 : 9_000
                    let input = (0..<channels).map { _ in noise(frames) }
                    let expected = reference(input, ratio: ratio, quality)
                    var resampler = Resampler(channelCount: channels, ratio: ratio, quality: quality)
                    // Silence after the signal brings out its end.
                    let end = [Float](repeating: 0, count: resampler.delay + 60)
                    let output = Resampling.process(input.map { $0 + end }, &resampler, ratio: ratio) { randomBlock() }
                    let message = "\(quality), \(ratio), \(channels) channels"
                    let count = expected.count / channels
                    XCTAssertEqual(Double(count), Double(frames) * ratio, accuracy: 1 + ratio, message)
                    XCTAssertGreaterThanOrEqual(output[0].count, count, message)
                    for channel in 0..<channels {
                        let isEqual = (0..<min(count, output[0].count)).allSatisfy {
                            output[channel][$0].bitPattern == expected[$0 * channels + channel].bitPattern
                        }
                        XCTAssert(isEqual, "\(message), channel \(channel)")
                    }
                }
            }
        }
    }

    func testNoFrameIsLostInAMillion() {
        let ratio = 48_000.0 / 44_100
        var resampler = Resampler(channelCount: 1, ratio: ratio)
        let (input, output) = (TestRows([noise(10_000)]), TestRows(count: 1, frames: 11_000))
        var (consumed, produced) = (0, 0)
        while consumed < 1_000_000 {
            let frames = randomBlock()
            let step = unsafe resampler.process(
                input.rows, inputFrames: frames, into: output.rows, outputCapacity: 11_000)
            XCTAssertEqual(step.consumed, frames)
            consumed += step.consumed
            produced += step.produced
            // The frames of the times up to the delay before the last frame of input.
            let expected = Double(consumed - resampler.delay) * ratio
            guard abs(Double(produced) - max(0, expected)) <= 1 else {
                XCTFail("\(produced) frames from \(consumed), not \(expected)")
                return
            }
            XCTAssertEqual(resampler.lead, Double(consumed) - Double(produced) / ratio, accuracy: 1e-6)
        }
        XCTAssert(output.isIntact)
    }

    func testTheFirstFrameComesAfterTheDelay() {
        for ratio in Self.ratios {
            for quality in Resampler.Quality.allCases {
                var resampler = Resampler(channelCount: 1, ratio: ratio, deviation: 0, quality: quality)
                let (input, output) = (TestRows([[0]]), TestRows(count: 1, frames: 1))
                var given = 0
                while unsafe resampler.process(
                    input.rows, inputFrames: 1, into: output.rows, outputCapacity: 1
                ).produced == 0 { given += 1 }
                XCTAssertEqual(Double(given), Double(resampler.delay), accuracy: 1, "\(ratio), \(quality)")
            }
        }
    }

    /// With `most` frames there are as many as are wanted, with fewer than `least` there are not.
    func testTheInputThatAnOutputNeeds() {
        for ratio in Self.ratios {
            for isMoving in [false, true] {
                var resampler = Resampler(channelCount: 1, ratio: ratio)
                let largest = ratio > 1 ? 2_000 : 200
                let (input, output) = (
                    TestRows([noise(Int(Double(largest + 600) / ratio) + 9_000)]), TestRows(count: 1, frames: largest)
                )
                for turn in 0..<400 {
                    if isMoving { resampler.setRatio(ratio * (1 + .random(in: -500e-6...500e-6, using: &numbers))) }
                    let count = Int.random(in: 1...(turn % 2 == 0 ? 10 : largest), using: &numbers)
                    let needed = resampler.inputFramesNeeded(forOutput: count)
                    let isShort = needed.least > 0 && turn % 3 == 0
                    let step = unsafe resampler.process(
                        input.rows, inputFrames: isShort ? needed.least - 1 : needed.most, into: output.rows,
                        outputCapacity: count)
                    let message = "\(ratio), \(isMoving), turn \(turn): \(step) of \(count), needs \(needed)"
                    guard isShort ? step.produced < count : step.produced == count else {
                        XCTFail(message)
                        return
                    }
                    guard isMoving || needed.most - needed.least <= 2 else {
                        XCTFail(message)
                        return
                    }
                }
            }
        }
    }

    func testItTakesNoMoreInputThanTheOutputNeeds() {
        let ratio = 44_100.0 / 48_000
        var resampler = Resampler(channelCount: 2, ratio: ratio)
        let (input, output) = (TestRows([noise(10_000), noise(10_000)]), TestRows(count: 2, frames: 64))
        for _ in 0..<1000 {
            _ = unsafe resampler.process(input.rows, inputFrames: 10_000, into: output.rows, outputCapacity: 64)
            XCTAssertLessThanOrEqual(resampler.lead, Double(resampler.delay) + 2)
        }
        let none = unsafe resampler.process(input.rows, inputFrames: 10_000, into: output.rows, outputCapacity: 0)
        XCTAssertEqual(none.consumed + none.produced, 0)
    }

    func testAfterAResetItIsAsNew() {
        let ratio = 48_000.0 / 44_100
        let input = [noise(3_000), noise(3_000)]
        var resampler = Resampler(channelCount: 2, ratio: ratio)
        let first = Resampling.process(input, &resampler, ratio: ratio) { 100 }
        resampler.reset()
        XCTAssertEqual(resampler.lead, 0)
        XCTAssertEqual(Resampling.process(input, &resampler, ratio: ratio) { 333 }, first)
    }

    func testManyChannelsAreEachAsAlone() {
        let ratio = 48_000.0 / 44_100
        let input = (0..<64).map { _ in noise(2_000) }
        var all = Resampler(channelCount: 64, ratio: ratio)
        let output = Resampling.process(input, &all, ratio: ratio) { 300 }
        for channel in [0, 1, 31, 63] {
            var one = Resampler(channelCount: 1, ratio: ratio)
            XCTAssertEqual(Resampling.process([input[channel]], &one, ratio: ratio) { 300 }[0], output[channel])
        }
    }
}
