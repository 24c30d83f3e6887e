// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// Assigns the frames of a tone to graph cycles: none at first, then one after the other by the graph's clock.
///
/// It is part of a process block's state, so it runs on the audio thread. It is noncopyable: a class in it, as
/// `progress`, can then be used without a retain, which the audio thread should avoid.
struct Schedule: ~Copyable, Sendable {
    /// The longest time to play, in seconds.
    private let seconds: Double?
    private let progress: Progress

    private var isFullyConnected = false
    /// Number of frames before the start, since the port was connected, or since every channel was linked.
    private var quietFrames = 0
    private var hasStarted = false
    /// The next frame of the sound.
    private var next = 0
    /// Number of frames since the end.
    private var silentFrames = 0

    init(seconds: Double?, reportingTo progress: Progress) {
        self.seconds = seconds
        self.progress = progress
    }

    /// The frames of the sound at the start of a cycle. The rest of the cycle is silent.
    struct Part {
        var start: Int
        var count: Int
    }

    /// The part of the sound for a cycle.
    mutating func part(for cycle: AudioCycle) -> Part {
        // Channels are linked one after the other, and the destination hears a new link a cycle or two later. Sound
        // that is sent before is lost, so none is sent.
        let margin = max(cycle.sampleRate / 10, 4 * cycle.frameCount)
        guard hasStarted || isQuiet(for: margin, in: cycle) else { return Part(start: 0, count: 0) }
        // Not by a closure, whose generic caller a debug build looks up here.
        var end = Int.max
        if let seconds { end = Int((seconds * Double(cycle.sampleRate)).rounded()) }
        if hasStarted {
            // Missed frames (an xrun) are skipped: later frames are heard at their own time.
            progress.missedFrames.add(cycle.missedFrames, ordering: .relaxed)
            next = min(next + cycle.missedFrames, end)
        } else {
            hasStarted = true
            progress.firstPosition.store(cycle.position, ordering: .relaxed)
        }
        let part = Part(start: next, count: min(cycle.frameCount, end - next))
        next += part.count
        progress.sampleRate.store(cycle.sampleRate, ordering: .relaxed)
        progress.sentFrames.add(part.count, ordering: .relaxed)
        if next == end { finish(cycle.frameCount - part.count, margin) }
        return part
    }

    /// Records that the sound cannot be played at the graph's rate.
    func refuse(_ cycle: AudioCycle) { progress.unfitRate.store(cycle.sampleRate, ordering: .relaxed) }

    private mutating func isQuiet(for margin: Int, in cycle: AudioCycle) -> Bool {
        // A new connection, if no frames were missed.
        let isNew = cycle.isDiscontinuous && cycle.missedFrames == 0
        if isNew || cycle.isFullyConnected != isFullyConnected {
            isFullyConnected = cycle.isFullyConnected
            quietFrames = 0
        }
        quietFrames += cycle.frameCount
        // A person who links one channel after the other takes longer, and may want only some channels.
        return quietFrames > (isFullyConnected ? margin : cycle.sampleRate)
    }

    /// Waits some cycles until the last frame has passed all ports downstream.
    private mutating func finish(_ silence: Int, _ margin: Int) {
        silentFrames += silence
        progress.isSent.store(true, ordering: .relaxed)
        if silentFrames > margin { progress.isHeard.store(true, ordering: .relaxed) }
    }
}
