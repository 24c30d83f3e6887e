// SPDX-License-Identifier: MIT
import AudioConversion

/// Sound for the converters, with room for the longest block.
@safe struct ConversionMemory {
    private static let longest = 10_000
    private static let channels = 8
    private let rows: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    private let results: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    private let planes: UnsafeMutablePointer<UnsafeMutableRawPointer>

    init() {
        unsafe rows = .allocate(capacity: Self.channels)
        unsafe results = .allocate(capacity: Self.channels)
        unsafe planes = .allocate(capacity: Self.channels)
        for channel in 0..<Self.channels {
            unsafe (rows + channel).initialize(to: Self.sound())
            unsafe (results + channel).initialize(to: Self.sound())
            let bytes = UnsafeMutableRawPointer.allocate(byteCount: 4 * Self.channels * Self.longest, alignment: 16)
            unsafe bytes.initializeMemory(as: UInt8.self, repeating: 1, count: 4 * Self.channels * Self.longest)
            unsafe (planes + channel).initialize(to: bytes)
        }
    }

    private static func sound() -> UnsafeMutablePointer<Float> {
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: longest)
        for frame in 0..<longest { unsafe samples[frame] = Float(frame % 97) / 97 - 0.5 }
        return unsafe samples
    }

    /// From 1 to the longest, mostly short.
    @_noLocks
    private func block(_ random: inout UInt32) -> Int {
        random = random &* 1_664_525 &+ 1_013_904_223
        let value = Int(random >> 8)
        return 1 + value % (value & 3 == 0 ? 10_000 : 700)
    }

    /// Near 1, by up to ±1000 ppm.
    @_noLocks
    private func factor(_ random: inout UInt32) -> Double { 1 + (Double(block(&random)) - 350) * 1e-6 }

    @_noLocks
    func run(_ converter: inout FormatConverter.ToClient, _ random: inout UInt32) -> Int {
        converter.adjustRate(by: factor(&random))
        let capacity = block(&random)
        let given = min(block(&random), converter.inputFramesNeeded(forOutput: capacity).most)
        let result = unsafe converter.convert(rows, frames: given, into: planes, capacity: capacity)
        if random >> 28 == 0 { converter.reset() }
        return result.produced + converter.delay
    }

    @_noLocks
    func run(_ converter: inout FormatConverter.FromClient, _ random: inout UInt32) -> Int {
        converter.adjustRate(by: factor(&random))
        let capacity = block(&random)
        let given = min(block(&random), converter.inputFramesNeeded(forOutput: capacity).most)
        let result = unsafe converter.convert(planes, frames: given, into: results, capacity: capacity)
        // As at a change of the graph's rate.
        if random >> 28 == 1 {
            converter.predict()
            let count = unsafe converter.convertPrediction(into: results, at: 0, capacity: block(&random))
            converter.setGraphRate(48_000)
            return count + converter.prime(frames: converter.delay + 1)
        }
        if random >> 28 == 0 { converter.reset() }
        return result.produced + converter.delay
    }

    @_noLocks
    func run(_ resampler: inout Resampler, _ random: inout UInt32) -> Int {
        resampler.setRatio(48_000 / 44_100 * (1 + (factor(&random) - 1) * 100))
        let result = unsafe resampler.process(
            rows, inputFrames: block(&random), into: results, outputCapacity: block(&random))
        if random >> 28 == 0 { resampler.reset() }
        return result.produced + resampler.delay + Int(resampler.lead)
    }
}
