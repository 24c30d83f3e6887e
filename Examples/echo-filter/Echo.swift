// SPDX-License-Identifier: MIT
import PipeBus
import RealtimeKit
import Synchronization

/// The state of a filter that repeats its input.
///
/// It runs on the audio thread. All memory is allocated before the port exists. The struct is noncopyable, so that the
/// array and the class in it are never retained or copied there.
struct Echo: ~Copyable, Sendable {
    private let newDelay: Parameter<Int>.Reader
    private var feedback: Parameter<Float>.RampedReader
    private let isDry: Bool
    private let isPingPong: Bool
    private let progress: Progress

    private var delay: Int
    /// The previous delay, from which the output is being crossfaded to the new one, and the number of frames left.
    private var oldDelay: Int
    private var fade = 0
    private let fadeLength = 480

    /// The last `length` frames of the input with all its echoes, channel after channel.
    private var line: [Float]
    private let length: Int
    /// The place of the next frame in the line, which holds the oldest one.
    private var next = 0
    /// Number of valid frames in the line.
    private var filled = 0

    init(_ controls: Controls, isDry: Bool, isPingPong: Bool, channelCount: Int, reportingTo progress: Progress) {
        newDelay = controls.delay.makeReader()
        feedback = controls.feedback.makeReader(rampedOver: .milliseconds(20))
        self.isDry = isDry
        self.isPingPong = isPingPong
        self.progress = progress
        delay = controls.delay.value
        oldDelay = delay
        length = max(controls.longestDelay, 1)
        line = [Float](repeating: 0, count: length * channelCount)
    }

    mutating func process(_ cycle: AudioCycle, _ input: borrowing InputChannels, into output: inout OutputChannels) {
        progress.frames.add(cycle.frameCount, ordering: .relaxed)
        progress.missedFrames.add(cycle.missedFrames, ordering: .relaxed)
        progress.sampleRate.store(cycle.sampleRate, ordering: .relaxed)
        followDelay()
        let gain = feedback.ramp(over: cycle)
        if cycle.isDiscontinuous { skip(cycle.missedFrames, channelCount: output.count, gain[0]) }

        if isPingPong {
            let first = input[0]
            let second = input[1]
            output.withChannels(0, 1) { left, right in
                for frame in 0..<cycle.frameCount {
                    (left[frame], right[frame]) = pass(first[frame], second[frame], frame, gain[frame])
                }
            }
        } else {
            for channel in 0..<output.count {
                let incoming = input[channel]
                output.fill(channel) { frame in pass(incoming[frame], frame, channel, gain[frame]) }
            }
        }
        advance(cycle.frameCount)
    }

    /// Starts the crossfade to a new delay. One change at a time: the next one waits for its end.
    private mutating func followDelay() {
        let newest = newDelay.value
        guard fade == 0, newest != delay else { return }
        oldDelay = delay
        delay = newest
        fade = fadeLength
    }

    /// Processes one sample.
    private mutating func pass(_ sample: Float, _ frame: Int, _ channel: Int, _ gain: Float) -> Float {
        let echo = echo(of: sample, frame, channel)
        return keep(sample + gain * echo, heard: echo, frame, channel)
    }

    /// Processes one frame of two channels. Each gets the other one's echo.
    private mutating func pass(_ left: Float, _ right: Float, _ frame: Int, _ gain: Float) -> (Float, Float) {
        let echoes = (echo(of: left, frame, 0), echo(of: right, frame, 1))
        return (
            keep(left + gain * echoes.1, heard: echoes.0, frame, 0),
            keep(right + gain * echoes.0, heard: echoes.1, frame, 1)
        )
    }

    /// The sample of the line one delay ago.
    private func echo(of sample: Float, _ frame: Int, _ channel: Int) -> Float {
        let echo = kept(delay, sample, frame, channel)
        guard frame < fade else { return echo }
        let old = kept(oldDelay, sample, frame, channel)
        return echo + (old - echo) * Float(fade - frame) / Float(fadeLength)
    }

    private func kept(_ delay: Int, _ sample: Float, _ frame: Int, _ channel: Int) -> Float {
        guard delay > 0 else { return sample }
        guard filled + frame >= delay else { return 0 }
        return line[channel * length + (next + frame + length - delay) % length]
    }

    private mutating func keep(_ sample: Float, heard echo: Float, _ frame: Int, _ channel: Int) -> Float {
        // A NaN or infinite sample would stay in the feedback for ever. It is dropped, and the echoes of the other
        // samples go on.
        let number = sample.isFinite ? sample : 0
        line[channel * length + (next + frame) % length] = number
        return isDry ? number : echo
    }

    private mutating func advance(_ frames: Int) {
        next = (next + frames) % length
        filled = min(filled + frames, length)
        fade = max(fade - frames, 0)
    }

    /// Skips missed frames (an xrun). Their sound is lost, and later echoes come at their own time.
    private mutating func skip(_ frames: Int, channelCount: Int, _ gain: Float) {
        guard frames > 0, frames < delay else {
            // After a long or unknown break there is no old echo.
            filled = 0
            return
        }
        for frame in 0..<frames {
            if isPingPong {
                _ = pass(0, 0, frame, gain)
            } else {
                for channel in 0..<channelCount { _ = pass(0, frame, channel, gain) }
            }
        }
        advance(frames)
    }
}
