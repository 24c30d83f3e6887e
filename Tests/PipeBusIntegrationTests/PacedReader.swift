// SPDX-License-Identifier: MIT
import PipeBus
import SeededRandom

/// A reader that asks for blocks of one size at the graph's pace, and looks at every frame.
final class PacedReader: @unchecked Sendable {
    // @unchecked: one thread uses it at a time: the block's, then the test's.
    let blockSize: Int
    private var reader: Reader
    private let signal: Stage.Signal
    private var samples: [Float]
    /// Number of frames that the graph was ahead of the requests.
    private var due = 0
    /// Chance of a cycle in which it does not read, and reads more in the next ones.
    private let laziness: Double
    private var numbers: SeededGenerator

    private(set) var readFrames = 0
    private(set) var silentFrames = 0
    private(set) var lateFrames = 0
    private(set) var jumps = 0
    private(set) var fault: String?
    private var next: Int64?

    init(_ reader: consuming Reader, blockSize: Int, laziness: Double = 0, signal: @escaping Stage.Signal) {
        samples = Array(repeating: 0, count: blockSize * reader.channelCount)
        self.reader = reader
        self.blockSize = blockSize
        self.laziness = laziness
        self.signal = signal
        numbers = SeededGenerator(seed: UInt64(blockSize))
    }

    var statistics: ReaderStatistics { reader.statistics }
    var latency: Latency { reader.latency }

    /// Reads as many blocks as a cycle lasts.
    func run(_ cycle: AudioCycle) {
        due += cycle.frameCount
        if laziness > 0, Double.random(in: 0..<1, using: &numbers) < laziness { return }
        while due >= blockSize {
            due -= blockSize
            read(at: cycle.startTime)
        }
    }

    private func read(at time: MonotonicTime) {
        let channels = reader.channelCount
        var span = samples.mutableSpan
        let result = reader.read(into: &span, at: time)
        readFrames += blockSize
        lateFrames += result.lateFrames
        if result.frameCount != blockSize { fault = fault ?? "\(result.frameCount) frames of \(blockSize)" }
        guard result.hasSound || next != nil else {
            silentFrames += blockSize
            if samples.contains(where: { $0 != 0 }) { fault = fault ?? "sound of nowhere" }
            return
        }
        let start = result.timestamp.position
        if let next, next != start { jumps += 1 }
        next = start + Int64(blockSize)
        for frame in 0..<blockSize {
            for channel in 0..<channels {
                let sample = samples[frame * channels + channel]
                if sample == signal(start + Int64(frame), channel) { continue }
                guard sample == 0 else {
                    fault = fault ?? "frame \(frame) of \(blockSize), made at \(start), is \(sample)"
                    return
                }
                if channel == 0 { silentFrames += 1 }
            }
        }
    }
}
