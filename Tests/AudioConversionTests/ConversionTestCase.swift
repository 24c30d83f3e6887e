// SPDX-License-Identifier: MIT
import AudioConversion
import CAudioConversion
import SeededRandom
import XCTest

/// The common part of these tests: every implementation in turn, and random numbers that are equal in each run.
class ConversionTestCase: XCTestCase {
    var numbers = SeededGenerator(seed: 1)

    override func tearDown() {
        cac_prepare()
        super.tearDown()
    }

    /// Runs a test with each implementation that this processor has.
    ///
    /// - Parameter isSeeded: whether each gets the same random numbers.
    func forEachImplementation(isSeeded: Bool = true, _ test: (String) -> Void) {
        for (implementation, name) in [(cac_baseline, "baseline"), (cac_avx2, "AVX2")] {
            guard cac_use(implementation) else { continue }
            if isSeeded { numbers = SeededGenerator(seed: 1) }
            test(name)
        }
    }

    func noise(_ count: Int, amplitude: Float = 1) -> [Float] {
        (0..<count).map { _ in Float.random(in: -amplitude...amplitude, using: &numbers) }
    }

    static func format(_ sample: SampleLayout.Sample) -> cac_format {
        switch sample {
        case .float32: cac_float32
        case .int16: cac_int16
        case .int24: cac_int24
        case .int32: cac_int32
        }
    }

    func store(_ rows: TestRows, into bytes: TestBytes, frames: Int) {
        var samples = unsafe description(of: bytes)
        unsafe cac_store(&samples, rows.rows, 0, UInt32(frames), nil)
    }

    func store(_ rows: TestRows, into bytes: TestBytes, frames: Int, dither: inout cac_dither) {
        var samples = unsafe description(of: bytes)
        unsafe cac_store(&samples, rows.rows, 0, UInt32(frames), &dither)
    }

    func load(_ bytes: TestBytes, into rows: TestRows, frames: Int) {
        var samples = unsafe description(of: bytes)
        unsafe cac_load(rows.rows, 0, &samples, UInt32(frames))
    }

    private func description(of bytes: TestBytes) -> cac_samples {
        let layout = bytes.layout
        return unsafe cac_samples(
            planes: bytes.planes, first: 0, channel_count: UInt32(layout.channelCount),
            format: Self.format(layout.sample), is_interleaved: layout.isInterleaved)
    }
}
