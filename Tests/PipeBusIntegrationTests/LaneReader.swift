// SPDX-License-Identifier: MIT
import PipeBus

/// Reads two lanes of a receiver of separate streams for the same intervals, one of them in two parts, and leaves the third
/// unread.
final class LaneReader: @unchecked Sendable {
    // @unchecked: one thread uses it at a time: the block's, then the test's.
    private var reader: Reader
    private let signal: Stage.Signal
    private var first = [Float](repeating: 0, count: 600)
    private var beginning = [Float](repeating: 0, count: 200)
    private var rest = [Float](repeating: 0, count: 400)
    private var due = 0
    private(set) var comparedFrames = 0
    private(set) var fault: String?

    init(_ reader: consuming Reader, signal: @escaping Stage.Signal) {
        self.reader = reader
        self.signal = signal
    }

    var statistics: ReaderStatistics { reader.statistics }

    func run(_ cycle: AudioCycle) {
        due += cycle.frameCount
        while due >= 300 {
            due -= 300
            readInterval()
        }
    }

    private func readInterval() {
        var span = first.mutableSpan
        let result = reader.read(into: &span, lane: 0)
        let (other, otherRest) = readParts()
        reader.endInterval()
        guard result.hasSound, other.hasSound else { return }
        let position = result.timestamp.position
        if other.timestamp.position != position || otherRest.timestamp.position != position + 100 {
            fault = fault ?? "\(position), \(other.timestamp.position), \(otherRest.timestamp.position)"
        }
        let second = beginning + rest
        guard first.contains(where: { $0 != 0 }), second.contains(where: { $0 != 0 }) else { return }
        for frame in 0..<300 {
            for channel in 0..<2 {
                let expected = signal(position + Int64(frame), channel)
                for sample in [first[2 * frame + channel], second[2 * frame + channel]]
                where sample != expected && sample != 0 {
                    fault = fault ?? "frame \(frame), made at \(position), is \(sample)"
                }
            }
        }
        comparedFrames += 300
    }

    private func readParts() -> (ReadResult, ReadResult) {
        var span = beginning.mutableSpan
        let first = reader.read(into: &span, lane: 1)
        span = rest.mutableSpan
        return (first, reader.read(into: &span, lane: 1))
    }
}
