// SPDX-License-Identifier: MIT
import PipeBus

/// Reads blocks at the graph's pace, pauses when it is told to, and then catches up or does not. It looks at every frame of every
/// lane.
final class PausingReader: @unchecked Sendable {
    // @unchecked: one thread uses it at a time: the block's, then the test's.
    private var reader: Reader
    private let blockSize: Int
    private let lanes: Int
    private let signal: Stage.Signal
    private var samples: [Float]
    private var due = 0
    private var pause = 0
    private var catchesUp = false
    private(set) var fault: String?
    private(set) var lateFrames = 0
    /// Number of silent frames since the first sound, of the first lane.
    private(set) var silentFrames = 0
    private var hasSound = false

    /// - Parameter lanes: number of lanes of a receiver of separate streams; 0 for a mix.
    init(_ reader: consuming Reader, blockSize: Int, lanes: Int, signal: @escaping Stage.Signal) {
        samples = Array(repeating: 0, count: blockSize * reader.channelCount)
        self.reader = reader
        self.blockSize = blockSize
        self.lanes = lanes
        self.signal = signal
    }

    var statistics: ReaderStatistics { reader.statistics }
    var latency: Int { reader.latency.frames }

    /// Reads nothing for so many frames, then all of them at once, or none.
    func pause(_ frames: Int, catchesUp: Bool) {
        pause = frames
        self.catchesUp = catchesUp
    }

    func run(_ cycle: AudioCycle) { run(cycle.frameCount) }

    /// Reads what is due after so many frames more.
    func run(_ frames: Int) {
        due += frames
        if pause > 0 {
            pause -= frames
            if !catchesUp { due -= frames }
            return
        }
        while due >= blockSize {
            due -= blockSize
            for lane in 0..<max(lanes, 1) { read(lane) }
            if lanes > 0 { reader.endInterval() }
        }
    }

    private func read(_ lane: Int) {
        let channels = reader.channelCount
        var span = samples.mutableSpan
        let result = lanes > 0 ? reader.read(into: &span, lane: lane) : reader.read(into: &span)
        if lane == 0 { lateFrames += result.lateFrames }
        hasSound = hasSound || result.hasSound
        guard hasSound else { return }
        let start = result.timestamp.position
        for frame in 0..<blockSize {
            for channel in 0..<channels {
                let sample = samples[frame * channels + channel]
                if sample == signal(start + Int64(frame), channel) { continue }
                if sample != 0 { fault = fault ?? "frame \(frame), made at \(start), is \(sample)" }
                if lane == 0, channel == 0 { silentFrames += 1 }
            }
        }
    }
}
