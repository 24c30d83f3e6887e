// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import RealtimeKit

/// What the synth sings: set on any thread, and read on the audio thread.
struct Song: BitwiseCopyable, Sendable {
    /// In hertz.
    var pitch = 110.0
    var formants: (Double, Double, Double) = Vowel.a.formants
}

/// The state of the sender: a saw through three resonators, as loud as what comes in at the other port.
struct Voice: ~Copyable, Sendable {
    private var song: Mailbox<Song>.Reader
    private var loudness: Mailbox<Float>.Reader
    private var phase = 0.0
    private var gain: Float = 1
    private var resonators = (Resonator(), Resonator(), Resonator())

    init(_ song: Mailbox<Song>, loudness: Mailbox<Float>) {
        self.song = song.makeReader()
        self.loudness = loudness.makeReader()
    }

    /// Runs on the audio thread.
    mutating func render(_ cycle: AudioCycle, into output: inout OutputChannels) {
        let song = song.read()
        let rate = Double(cycle.sampleRate)
        resonators.0.tune(to: song.formants.0, rate)
        resonators.1.tune(to: song.formants.1, rate)
        resonators.2.tune(to: song.formants.2, rate)
        let target = loudness.read()
        let slope = (target - gain) / Float(cycle.frameCount)
        let step = song.pitch / rate
        var samples = output[0]
        for frame in samples.indices {
            phase += step
            if phase >= 1 { phase -= 1 }
            let saw = 2 * phase - 1
            gain += slope
            samples[frame] =
                gain * Float(resonators.0.pass(saw) + 0.5 * resonators.1.pass(saw) + 0.25 * resonators.2.pass(saw))
        }
    }
}

/// A resonance of 80 Hz width: two poles near the unit circle, with a gain of 1 at its frequency.
///
/// Julius O. Smith, "Introduction to Digital Filters", "Normalizing Two-Pole Filter Gain at Resonance".
private struct Resonator: BitwiseCopyable, Sendable {
    private var frequency = 0.0
    private var (gain, first, second) = (0.0, 0.0, 0.0)
    private var (last, before) = (0.0, 0.0)

    mutating func tune(to frequency: Double, _ rate: Double) {
        guard frequency != self.frequency else { return }
        self.frequency = frequency
        let radius = exp(-.pi * 80 / rate)
        let angle = 2 * .pi * frequency / rate
        first = 2 * radius * cos(angle)
        second = -radius * radius
        gain = (1 - radius) * (1 - 2 * radius * cos(2 * angle) + radius * radius).squareRoot()
    }

    mutating func pass(_ sample: Double) -> Double {
        let new = gain * sample + first * last + second * before
        (last, before) = (new, last)
        return new
    }
}

/// The state of the receiver: how loud its mix is.
struct Ear: ~Copyable, Sendable {
    private var loudness: Mailbox<Float>.Writer

    init(_ loudness: Mailbox<Float>) { self.loudness = loudness.makeWriter() }

    /// Runs on the audio thread. Without a source the block is not called, and the voice stays as loud as it was.
    mutating func listen(to mix: borrowing ReceivedMix) {
        var peak: Float = 0
        let samples = mix[0]
        for frame in samples.indices { if abs(samples[frame]) > peak { peak = abs(samples[frame]) } }
        loudness.post(peak > 1 ? 1 : peak)
    }
}
