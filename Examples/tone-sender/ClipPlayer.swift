// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The state of a sender that plays a sound from memory.
struct ClipPlayer: ~Copyable, Sendable {
    /// Interleaved. The array itself and not its clip: an array in a struct in a struct would be retained.
    private let samples: [Float]
    private let frameCount: Int
    private let sampleRate: Int
    private let gain: Float
    private var schedule: Schedule

    init(_ clip: AudioClip, gain: Float, schedule: consuming Schedule) {
        samples = clip.samples
        frameCount = clip.frameCount
        sampleRate = clip.sampleRate
        self.gain = gain
        self.schedule = schedule
    }

    /// Runs on the audio thread, and neither allocates nor waits.
    mutating func render(_ cycle: AudioCycle, into output: inout OutputChannels) {
        guard cycle.sampleRate == sampleRate else {
            schedule.refuse(cycle)
            return
        }
        let part = schedule.part(for: cycle)
        let channelCount = output.count
        for channel in 0..<channelCount {
            var outgoing = output[channel]
            var frame = part.start % frameCount
            for index in 0..<part.count {
                outgoing[index] = gain * samples[frame * channelCount + channel]
                frame += 1
                if frame == frameCount { frame = 0 }
            }
        }
    }
}
