// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport

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
        let rate = rate ?? Double(format.sampleRate ?? 48_000)
        return format.bytes(ofAllChannels: (0..<frames).map { value(at: time + Double($0) / rate) }, portChannels)
    }
}
