// SPDX-License-Identifier: MIT
import AudioConversion
import XCTest

final class FormatConverterTests: ConversionTestCase {
    /// The rules of channel mapping, written out once more.
    private func mapped(_ sound: [[Float]], to count: Int) -> [[Float]] {
        let frames = sound[0].count
        if sound.count == 1 { return Array(repeating: sound[0], count: count) }
        if count == 1 {
            return [
                (0..<frames).map { frame in
                    sound.reduce(Float(0)) { $0 + $1[frame] } * (1 / Float(sound.count))
                }
            ]
        }
        return (0..<count).map { $0 < sound.count ? sound[$0] : Array(repeating: 0, count: frames) }
    }

    private func resampled(_ sound: [[Float]], ratio: Double) -> [[Float]] {
        guard ratio != 1 else { return sound }
        var resampler = Resampler(channelCount: sound.count, ratio: ratio)
        return Resampling.process(sound, &resampler, ratio: ratio) { 777 }
    }

    /// The mean comes before the resampler, copies and silence behind it.
    private func converted(_ sound: [[Float]], to count: Int, ratio: Double) -> [[Float]] {
        let signals = mapped(sound, to: min(sound.count, count))
        return mapped(resampled(count == 1 ? signals : Array(sound.prefix(count)), ratio: ratio), to: count)
    }

    private func settings(_ layout: SampleLayout, _ channels: Int, _ graph: Double, _ client: Double)
        -> FormatConverter
        .Settings
    {
        FormatConverter.Settings(layout: layout, graphChannelCount: channels, graphRate: graph, clientRate: client)
    }

    private func forEachCase(_ test: (SampleLayout, _ graphChannels: Int, _ clientRate: Double) -> Void) {
        for sample in SampleLayout.Sample.allCases {
            for isInterleaved in [false, true] {
                for clientRate in [48_000.0, 44_100, 96_000] {
                    for (graph, client) in [(1, 1), (2, 2), (3, 3), (1, 2), (1, 5), (2, 1), (6, 1), (2, 3), (5, 2)] {
                        test(
                            SampleLayout(sample: sample, isInterleaved: isInterleaved, channelCount: client), graph,
                            clientRate)
                    }
                }
            }
        }
    }

    func testToClient() {
        forEachCase { layout, graphChannels, clientRate in
            let frames = 2_500
            let sound = (0..<graphChannels).map { _ in noise(frames) }
            let expected = converted(sound, to: layout.channelCount, ratio: clientRate / 48_000)
            let bytes = TestBytes(layout, frames: expected[0].count + 10, offset: 3)
            let rows = TestRows(sound)
            var converter = FormatConverter.ToClient(settings(layout, graphChannels, 48_000, clientRate))
            var (consumed, produced) = (0, 0)
            while true {
                let step = unsafe converter.convert(
                    rows.rows, from: consumed, frames: min(.random(in: 1...1_500, using: &numbers), frames - consumed),
                    into: bytes.planes, at: produced,
                    capacity: min(.random(in: 1...1_500, using: &numbers), bytes.frames - produced))
                consumed += step.consumed
                produced += step.produced
                if consumed == frames && step.produced == 0 { break }
            }
            let message = "\(layout), \(graphChannels) channels, \(clientRate) Hz"
            XCTAssertEqual(produced, expected[0].count, message)
            XCTAssert(bytes.isIntact, message)
            for channel in 0..<layout.channelCount {
                let isEqual = (0..<min(produced, expected[0].count)).allSatisfy {
                    bytes[$0, channel] == Reference.word(expected[channel][$0], layout.sample)
                }
                XCTAssert(isEqual, "\(message), channel \(channel)")
            }
        }
    }

    func testFromClient() {
        forEachCase { layout, graphChannels, clientRate in
            let frames = 2_500
            let bytes = TestBytes(layout, frames: frames, offset: 5)
            var sound = (0..<layout.channelCount).map { _ in noise(frames) }
            for channel in sound.indices {
                for frame in 0..<frames {
                    let word = Reference.word(sound[channel][frame], layout.sample)
                    bytes[frame, channel] = word
                    sound[channel][frame] = Reference.value(word, layout.sample)
                }
            }
            let expected = converted(sound, to: graphChannels, ratio: 48_000 / clientRate)
            let rows = TestRows(count: graphChannels, frames: expected[0].count + 10)
            var converter = FormatConverter.FromClient(settings(layout, graphChannels, 48_000, clientRate))
            var (consumed, produced) = (0, 0)
            while true {
                let step = unsafe converter.convert(
                    bytes.planes, from: consumed,
                    frames: min(.random(in: 1...1_500, using: &numbers), frames - consumed), into: rows.rows,
                    at: produced, capacity: min(.random(in: 1...1_500, using: &numbers), rows.frames - produced))
                consumed += step.consumed
                produced += step.produced
                if consumed == frames && step.produced == 0 { break }
            }
            let message = "\(layout), \(graphChannels) channels, \(clientRate) Hz"
            XCTAssertEqual(produced, expected[0].count, message)
            XCTAssert(rows.isIntact, message)
            XCTAssertEqual(rows.prefix(min(produced, expected[0].count)), expected, message)
        }
    }

    /// After a change of the graph's rate a converter gives, to the bit, what one gives that was made for it.
    func testAnotherRateOfTheGraph() {
        let layout = SampleLayout(sample: .float32, isInterleaved: true, channelCount: 2)
        let rows = TestRows([noise(3_000), noise(3_000)])
        let (first, second) = (TestBytes(layout, frames: 3_000), TestBytes(layout, frames: 3_000))
        for isAdjustable in [false, true] {
            var changing = settings(layout, 2, 48_000, 44_100)
            changing.isRetunable = true
            changing.isAdjustable = isAdjustable
            var toClient = FormatConverter.ToClient(changing)
            var fromClient = FormatConverter.FromClient(changing)
            for graphRate in [96_000.0, 44_100, 8_000, 48_000] {
                toClient.setGraphRate(graphRate)
                fromClient.setGraphRate(graphRate)
                var made = settings(layout, 2, graphRate, 44_100)
                made.isAdjustable = isAdjustable
                var freshToClient = FormatConverter.ToClient(made)
                var freshFromClient = FormatConverter.FromClient(made)
                XCTAssertEqual(toClient.delayInSeconds, freshToClient.delayInSeconds, accuracy: 1e-4)
                let one = unsafe toClient.convert(rows.rows, frames: 3_000, into: first.planes, capacity: 2_000)
                let other = unsafe freshToClient.convert(rows.rows, frames: 3_000, into: second.planes, capacity: 2_000)
                XCTAssert(one == other && one.produced > 200, "\(graphRate): \(one), \(other)")
                XCTAssert(first.equals(second), "\(graphRate)")
                let (results, others) = (TestRows(count: 2, frames: 2_000), TestRows(count: 2, frames: 2_000))
                let back = unsafe fromClient.convert(first.planes, frames: 3_000, into: results.rows, capacity: 2_000)
                let otherBack = unsafe freshFromClient.convert(
                    first.planes, frames: 3_000, into: others.rows, capacity: 2_000)
                XCTAssert(back == otherBack && back.produced > 200, "\(graphRate): \(back), \(otherBack)")
                XCTAssert(results.equals(others), "\(graphRate)")
            }
        }
    }

    /// A caller that must deliver a number of frames can know how many it takes.
    func testExactNumbers() {
        let layout = SampleLayout(sample: .int16, isInterleaved: true, channelCount: 2)
        let rows = TestRows([noise(4_000), noise(4_000)])
        let bytes = TestBytes(layout, frames: 4_000)
        for clientRate in [44_100.0, 48_000, 96_000] {
            var toClient = FormatConverter.ToClient(settings(layout, 2, 48_000, clientRate))
            var fromClient = FormatConverter.FromClient(settings(layout, 2, 48_000, clientRate))
            for _ in 0..<200 {
                let count = Int.random(in: 1...1_500, using: &numbers)
                let needed = toClient.inputFramesNeeded(forOutput: count).most
                let given = unsafe toClient.convert(rows.rows, frames: needed, into: bytes.planes, capacity: count)
                XCTAssertEqual(given.produced, count)
                let wanted = fromClient.inputFramesNeeded(forOutput: count).most
                let taken = unsafe fromClient.convert(bytes.planes, frames: wanted, into: rows.rows, capacity: count)
                XCTAssertEqual(taken.produced, count)
            }
        }
    }

    func testDelays() {
        let layout = SampleLayout(sample: .float32, isInterleaved: true, channelCount: 2)
        let toClient = FormatConverter.ToClient(settings(layout, 2, 48_000, 96_000))
        XCTAssertEqual(toClient.delay, 2 * 47, accuracy: 2)
        XCTAssertEqual(toClient.delayInSeconds, 47 / 48_000, accuracy: 1e-4)
        let fromClient = FormatConverter.FromClient(settings(layout, 2, 48_000, 96_000))
        XCTAssertEqual(fromClient.delay, 2 * 47, accuracy: 2)
        XCTAssertEqual(fromClient.delayInSeconds, 47 / 48_000, accuracy: 1e-4)
        XCTAssertEqual(FormatConverter.ToClient(settings(layout, 2, 48_000, 48_000)).delay, 0)
    }

    func testAnAdjustedRateMakesMoreOrFewerFrames() {
        let layout = SampleLayout(sample: .float32, isInterleaved: true, channelCount: 1)
        var adjustable = settings(layout, 1, 48_000, 48_000)
        adjustable.isAdjustable = true
        for factor in [1, 1.0005, 0.9995] {
            var toClient = FormatConverter.ToClient(adjustable)
            var fromClient = FormatConverter.FromClient(adjustable)
            toClient.adjustRate(by: factor)
            fromClient.adjustRate(by: factor)
            let rows = TestRows([noise(1_000)])
            let bytes = TestBytes(layout, frames: 1_000)
            var (produced, consumed) = (0, 0)
            for _ in 0..<100 {
                produced += unsafe toClient.convert(rows.rows, frames: 500, into: bytes.planes, capacity: 1_000)
                    .produced
                consumed += unsafe fromClient.convert(
                    bytes.planes, frames: 1_000, into: rows.rows, capacity: 500
                ).consumed
            }
            XCTAssertEqual(Double(produced), (50_000 - Double(toClient.delay)) * factor, accuracy: 3)
            XCTAssertEqual(Double(consumed), 50_000 * factor + Double(fromClient.delay), accuracy: 3)
        }
    }

    func testDitherIsSeededAndOnlyWhereItIsEnabled() {
        let frames = 500
        func convert(_ sample: SampleLayout.Sample, _ hasDither: Bool, seed: UInt64) -> [Int32] {
            let layout = SampleLayout(
                sample: sample, isInterleaved: true, channelCount: 1, ditherEnabled: hasDither)
            let bytes = TestBytes(layout, frames: frames)
            var converter = FormatConverter.ToClient(settings(layout, 1, 48_000, 48_000), seed: seed)
            let rows = TestRows([Array(repeating: 0.3, count: frames)])
            _ = unsafe converter.convert(rows.rows, frames: frames, into: bytes.planes, capacity: frames)
            XCTAssert(rows.isIntact)
            return (0..<frames).map { bytes[$0, 0] }
        }
        for sample in [SampleLayout.Sample.int16, .int24] {
            XCTAssertEqual(convert(sample, true, seed: 1), convert(sample, true, seed: 1))
            XCTAssertNotEqual(convert(sample, true, seed: 1), convert(sample, true, seed: 2))
            XCTAssertEqual(Set(convert(sample, false, seed: 1)).count, 1)
        }
        for sample in [SampleLayout.Sample.int32, .float32] {
            XCTAssertEqual(Set(convert(sample, true, seed: 1)).count, 1)
        }
    }
}
