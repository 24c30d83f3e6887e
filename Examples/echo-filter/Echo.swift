// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The state of a filter that repeats what passes through.
///
/// It runs on the audio thread. All memory is there before the port is, and the struct is noncopyable, so that neither the
/// array nor the class in it is ever retained or copied there.
struct Echo: ~Copyable, Sendable {
    private let delay: Int
    private let feedback: Float
    private let isDry: Bool
    private let progress: Progress

    /// What came in with all its echoes, for the last `delay` frames, channel after channel.
    private var line: [Float]
    /// Where the oldest frame of the line is, which is the next to be replaced.
    private var oldest = 0
    /// Frames of the line that are worth something.
    private var filled = 0

    init(delay: Int, feedback: Float, isDry: Bool, channelCount: Int, telling progress: Progress) {
        self.delay = delay
        self.feedback = feedback
        self.isDry = isDry
        self.progress = progress
        line = [Float](repeating: 0, count: delay * channelCount)
    }

    mutating func process(_ cycle: AudioCycle, _ input: borrowing InputChannels, into output: inout OutputChannels) {
        progress.frames.add(cycle.frameCount, ordering: .relaxed)
        progress.missedFrames.add(cycle.missedFrames, ordering: .relaxed)
        progress.sampleRate.store(cycle.sampleRate, ordering: .relaxed)
        if cycle.isDiscontinuous { skip(cycle.missedFrames, channelCount: output.count) }

        for channel in 0..<output.count {
            let incoming = input[channel]
            var outgoing = output[channel]
            for frame in 0..<cycle.frameCount {
                outgoing[frame] = next(incoming[frame], frame, channel)
            }
        }
        advance(cycle.frameCount)
    }

    /// One sample in, one out.
    private mutating func next(_ sample: Float, _ frame: Int, _ channel: Int) -> Float {
        guard delay > 0 else { return sample }
        let place = channel * delay + (oldest + frame) % delay
        let old = filled + frame >= delay ? line[place] : 0
        let new = sample + feedback * old
        // What is no number must not get into the loop, where it would go round for ever: it is dropped, and the echoes of
        // the rest go on.
        line[place] = new.isFinite ? new : 0
        return isDry ? line[place] : old
    }

    private mutating func advance(_ frames: Int) {
        guard delay > 0 else { return }
        oldest = (oldest + frames) % delay
        filled = min(filled + frames, delay)
    }

    /// Time has passed without us. What fell into it is lost, and what follows comes at its own time.
    private mutating func skip(_ frames: Int, channelCount: Int) {
        guard frames > 0, frames < delay else {
            // Too long ago, or nobody knows how long: after a break there is no old echo.
            filled = 0
            return
        }
        for channel in 0..<channelCount {
            for frame in 0..<frames { _ = next(0, frame, channel) }
        }
        advance(frames)
    }
}
