// SPDX-License-Identifier: MIT
import Glibc
import PipeBus

/// A sine in any format, the same in all channels.
struct SineBytes {
    static let amplitude = 0.5
    let frequency: Double
    /// That of the next frame, in seconds.
    var time = 0.0

    init(frequency: Double) { self.frequency = frequency }

    func value(at time: Double) -> Double {
        Self.amplitude * cos(2 * .pi * (frequency * time).truncatingRemainder(dividingBy: 1))
    }

    mutating func advance(_ frames: Int, _ rate: Int) { time += Double(frames) / Double(rate) }

    /// The next frames.
    func bytes(_ frames: Int, _ format: StreamFormat, channels portChannels: Int, rate: Double? = nil) -> [UInt8] {
        let channels = format.channelCount ?? portChannels
        let rate = rate ?? Double(format.sampleRate ?? 48_000)
        let values = (0..<frames).map { value(at: time + Double($0) / rate) }
        let samples =
            format.isInterleaved
            ? values.flatMap { Array(repeating: $0, count: channels) } : (0..<channels).flatMap { _ in values }
        return samples.flatMap { sample -> [UInt8] in
            let bits: UInt32 =
                switch format.sample {
                case .float32: Float(sample).bitPattern
                case .int16: UInt32(bitPattern: Int32((sample * 32_768).rounded()))
                case .int24: UInt32(bitPattern: Int32((sample * 8_388_608).rounded()))
                case .int32: UInt32(bitPattern: Int32((sample * 2_147_483_648).rounded()))
                }
            return (0..<format.sample.byteCount).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        }
    }
}
