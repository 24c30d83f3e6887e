// SPDX-License-Identifier: MIT
import AudioConversion
import XCTest

final class SampleFormatTests: ConversionTestCase {
    private static let extremes: [Float] = [
        0, -0.0, 1, -1, 0.999999, -0.999999, 1.5, -1.5, .infinity, -.infinity, .nan, -.nan, .signalingNaN,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -.leastNormalMagnitude, 0x1p31,
        -0x1p31, 0.5 / 32768, 1.5 / 32768, -0.5 / 32768, -2.5 / 32768, 32766.5 / 32768, 32767.5 / 32768,
        -32767.5 / 32768, -32768.5 / 32768, 0.5 / 8_388_608, 1.5 / 8_388_608, -2.5 / 8_388_608, 4_194_302.5 / 8_388_608,
        4_194_303.5 / 8_388_608, -4_194_303.5 / 8_388_608, 0x1.fffffep-1, -0x1.fffffep-1, 0.5 / 0x1p31, 2.5 / 0x1p31,
    ]

    private func layouts(_ channelCount: Int) -> [SampleLayout] {
        SampleLayout.Sample.allCases.flatMap { sample in
            [false, true].map {
                SampleLayout(sample: sample, isInterleaved: $0, channelCount: channelCount)
            }
        }
    }

    /// Noise that is as often loud, too loud and nearly silent, and extremes in between.
    private func sound(_ frames: Int) -> [Float] {
        let amplitude = [1, 1.2, 1e-4, 1e-9].randomElement(using: &numbers)!
        return noise(frames, amplitude: Float(amplitude)).map {
            Int.random(in: 0..<8, using: &numbers) == 0 ? Self.extremes.randomElement(using: &numbers)! : $0
        }
    }

    /// The first implementation against the reference, each further one against the first: the same bits.
    private func check(_ layout: SampleLayout, frames: Int) {
        let sound = TestRows((0..<layout.channelCount).map { _ in self.sound(frames) })
        var first: (bytes: TestBytes, rows: TestRows)?
        forEachImplementation(isSeeded: false) { name in
            let message = "\(name), \(layout), \(frames) frames"
            let bytes = TestBytes(layout, frames: frames, offset: .random(in: 0...15, using: &numbers))
            let rows = TestRows(count: layout.channelCount, frames: frames)
            store(sound, into: bytes, frames: frames)
            load(bytes, into: rows, frames: frames)
            XCTAssert(bytes.isIntact && rows.isIntact, message)
            if let first {
                XCTAssert(bytes.equals(first.bytes) && rows.equals(first.rows), message)
            } else {
                compare(sound, bytes, rows, message)
                first = (bytes, rows)
            }
        }
    }

    private func compare(_ sound: TestRows, _ bytes: TestBytes, _ rows: TestRows, _ message: String) {
        let sample = bytes.layout.sample
        for (channel, (before, after)) in zip(sound.samples, rows.samples).enumerated() {
            for frame in before.indices {
                let word = bytes[frame, channel]
                let (expected, value) = (Reference.word(before[frame], sample), Reference.value(word, sample))
                guard word != expected || after[frame].bitPattern != value.bitPattern else { continue }
                XCTFail(
                    "\(message): \(before[frame]) in \(channel), \(frame) is \(word), not \(expected), and then "
                        + "\(after[frame]), not \(value)")
                return
            }
        }
    }

    func testEveryFormatAndLength() {
        for channelCount in 1...8 {
            for layout in layouts(channelCount) {
                for frames in 0...100 { check(layout, frames: frames) }
            }
        }
    }

    func testManyChannels() {
        for channelCount in [9, 16, 64] {
            for layout in layouts(channelCount) {
                for frames in [1, 31, 33, 70] { check(layout, frames: frames) }
            }
        }
    }

    func testEveryExtreme() {
        forEachImplementation { name in
            for layout in layouts(1) {
                let bytes = TestBytes(layout, frames: Self.extremes.count)
                store(TestRows([Self.extremes]), into: bytes, frames: Self.extremes.count)
                for (frame, sample) in Self.extremes.enumerated() {
                    XCTAssertEqual(
                        bytes[frame, 0], Reference.word(sample, layout.sample), "\(name), \(layout.sample), \(sample)")
                }
            }
        }
    }

    /// 1.0 is the largest integer, −1.0 the smallest, and NaN 0.
    func testTheEnds() {
        forEachImplementation { name in
            for (sample, top) in [
                (SampleLayout.Sample.int16, Int32(32767)), (.int24, 8_388_607), (.int32, .max),
            ] {
                let bytes = TestBytes(SampleLayout(sample: sample, isInterleaved: true, channelCount: 1), frames: 3)
                store(TestRows([[1, -1, .nan]]), into: bytes, frames: 3)
                XCTAssertEqual([bytes[0, 0], bytes[1, 0], bytes[2, 0]], [top, -top - 1, 0], "\(name), \(sample)")
            }
        }
    }

    /// Every integer of 16 bits, and 24 bits at random and at the ends, come back as they were.
    func testIntegersComeBack() {
        forEachImplementation { name in
            let all = (Int32(Int16.min)...Int32(Int16.max)).map { $0 }
            let limit: Int32 = 8_388_608
            let ends = (0..<500).flatMap { [-limit + $0, limit - 1 - $0, $0, -$0] }
            let random = (0..<60_000).map { _ in Int32.random(in: -limit..<limit, using: &numbers) }
            for (sample, words) in [(SampleLayout.Sample.int16, all), (.int24, ends + random)] {
                let layout = SampleLayout(sample: sample, isInterleaved: true, channelCount: 1)
                let (bytes, again) = (
                    TestBytes(layout, frames: words.count), TestBytes(layout, frames: words.count, offset: 3)
                )
                for (frame, word) in words.enumerated() { bytes[frame, 0] = word }
                let rows = TestRows(count: 1, frames: words.count)
                load(bytes, into: rows, frames: words.count)
                store(rows, into: again, frames: words.count)
                XCTAssert(words.indices.allSatisfy { again[$0, 0] == words[$0] }, "\(name), \(sample)")
            }
        }
    }
}
