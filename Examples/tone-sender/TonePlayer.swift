// SPDX-License-Identifier: MIT
import Glibc
import PipeBus

/// The state of a sender that makes a sine.
struct TonePlayer: ~Copyable, Sendable {
    private let frequency: Double
    private let gain: Float
    private var schedule: Schedule

    init(frequency: Double, gain: Float, schedule: consuming Schedule) {
        self.frequency = frequency
        self.gain = gain
        self.schedule = schedule
    }

    /// Runs on the audio thread.
    mutating func render(_ cycle: AudioCycle, into output: inout OutputChannels) {
        let step = frequency / Double(cycle.sampleRate)
        // From half the rate on it would be heard as another tone (aliasing).
        guard step < 0.5 else {
            schedule.refuse(cycle)
            return
        }
        let part = schedule.part(for: cycle)
        for channel in 0..<output.count {
            var samples = output[channel]
            for index in 0..<part.count {
                // Computed from the frame's number and not from the last phase, so that no error adds up.
                let turns = Double(part.start + index) * step
                samples[index] = gain * Float(sin(2 * .pi * (turns - turns.rounded(.down))))
            }
        }
    }
}
