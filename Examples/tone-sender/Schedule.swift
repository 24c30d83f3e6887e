// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// Which frames of a sound each graph cycle gets: none at first, then one after the other as the graph's clock goes.
///
/// Part of a process block's state, so it runs on the audio thread. It is noncopyable: a class in it, here `progress`, can
/// then be used without being retained, which the audio thread should not do.
struct Schedule: ~Copyable, Sendable {
    /// Frames of the sound; `nil` if it goes on for ever.
    private let frames: Int?
    /// As much of it as is wanted.
    private let seconds: Double?
    private let progress: Progress

    private var isFullyConnected = false
    /// Frames since something was connected, or since every channel was linked, until the start.
    private var quietFrames = 0
    private var hasStarted = false
    /// The frame of the sound that is next.
    private var next = 0
    /// Frames since the end.
    private var silentFrames = 0

    init(frames: Int?, seconds: Double?, reportingTo progress: Progress) {
        self.frames = frames
        self.seconds = seconds
        self.progress = progress
    }

    /// Frames of the sound, which a cycle begins with; behind them it is silent.
    struct Part {
        var start: Int
        var count: Int
    }

    /// What a cycle gets.
    mutating func part(for cycle: AudioCycle) -> Part {
        // Channels are linked one after the other, and the far end hears a new link a cycle or two later. What is sent
        // before that is lost on the way, so nothing is.
        let margin = max(cycle.sampleRate / 10, 4 * cycle.frameCount)
        guard hasStarted || isQuiet(for: margin, in: cycle) else { return Part(start: 0, count: 0) }
        var end = frames ?? Int.max
        if let seconds { end = min(end, Int((seconds * Double(cycle.sampleRate)).rounded())) }
        if hasStarted {
            // Time that was missed is gone: what comes after it is heard when it would have been.
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

    /// For a sound that cannot be played at the graph's rate.
    func refuse(_ cycle: AudioCycle) { progress.unfitRate.store(cycle.sampleRate, ordering: .relaxed) }

    private mutating func isQuiet(for margin: Int, in cycle: AudioCycle) -> Bool {
        // Connected again after it was not, if no frames were missed.
        let isNew = cycle.isDiscontinuous && cycle.missedFrames == 0
        if isNew || cycle.isFullyConnected != isFullyConnected {
            isFullyConnected = cycle.isFullyConnected
            quietFrames = 0
        }
        quietFrames += cycle.frameCount
        // Somebody who links one channel after the other by hand takes longer; and some want only some channels.
        return quietFrames > (isFullyConnected ? margin : cycle.sampleRate)
    }

    /// It takes some cycles until the last frame is through all that is behind us.
    private mutating func finish(_ silence: Int, _ margin: Int) {
        silentFrames += silence
        progress.isSent.store(true, ordering: .relaxed)
        if silentFrames > margin { progress.isHeard.store(true, ordering: .relaxed) }
    }
}
