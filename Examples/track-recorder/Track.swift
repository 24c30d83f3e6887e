// SPDX-License-Identifier: MIT
import ToolSupport

/// The sound of one source, placed frame by frame. Silence fills the gaps.
///
/// Written sound stays: frames for a time that is already written are dropped, and counted. Silence is only written
/// into gaps.
///
/// - Thread: the writer's.
final class Track {
    private let sink: TrackSink
    private let start: Int64
    private let limit: Int
    /// The end of the sound so far.
    private var length = 0
    /// The stream of the last block, its lane, and its end.
    private(set) var stream: UInt64 = 0
    private(set) var lane = 0
    private var end = 0
    private var ownFigures: TrackFigures
    /// Number of skipped frames, which counts only if the stream goes on. When a source is disconnected its latency
    /// ends first, and after that comes only silence.
    private var skippedFrames = 0
    /// Number of frames for which nothing came since the last sound.
    private var gapFrames = 0
    /// Number of frames of the stream's silent blocks since its last sound, such as those that its source missed.
    private var silentFrames = 0

    /// The limit of places, so that no sum of two can overflow.
    private static let placeLimit = 1 << 60

    /// - Parameters:
    ///   - start: the place of the first frame.
    ///   - limit: the largest number of frames; `.max` for no limit.
    init(_ sink: TrackSink, title: String, start: Int64, limit: Int) {
        self.sink = sink
        self.start = start
        self.limit = min(limit, Self.placeLimit)
        ownFigures = TrackFigures(title: title, channelCount: sink.channelCount)
    }

    var channelCount: Int { sink.channelCount }

    /// The figures of the track so far.
    var figures: TrackFigures {
        var figures = ownFigures
        figures.file = sink.fileName
        figures.hasLeftFile = sink.hasLeftFile
        figures.frames = sink.frameCount
        figures.lostFrames = sink.lostFrames
        figures.reason = sink.failure
        return figures
    }

    /// Writes a block at its place.
    ///
    /// - Parameter samples: interleaved.
    func add(_ block: CapturedBlock, _ samples: [Float], lane: Int) throws {
        let place = Self.distance(from: start, to: block.position)
        count(block, at: place, isSame: stream == block.stream && self.lane == lane)
        stream = block.stream
        self.lane = lane
        guard block.frameCount > 0 else { return }
        end = place + block.frameCount
        var peak: Float = 0
        let frames = max(-place, 0)..<max(min(block.frameCount, limit - place), max(-place, 0))
        let sound = convert(samples, frames, channels: block.channelCount, &peak)
        guard peak > 0 || peak.isNaN else {
            silentFrames = Self.sum(silentFrames, block.frameCount)
            return
        }
        silentFrames = 0
        ownFigures.peak = max(ownFigures.peak, peak)
        if peak > 1 { ownFigures.loudFrames = Self.sum(ownFigures.loudFrames, Self.loudFrames(sound, channelCount)) }
        ownFigures.skippedFrames = Self.sum(ownFigures.skippedFrames, skippedFrames)
        skippedFrames = 0
        ownFigures.gapFrames = Self.sum(ownFigures.gapFrames, gapFrames)
        gapFrames = 0
        try put(sound, at: place + frames.lowerBound)
    }

    /// The distance of a place from an earlier one, in frames. Places may wrap.
    static func distance(from start: Int64, to place: Int64) -> Int {
        clamped(Int(place &- start))
    }

    /// A number of frames, so small that no sum of two overflows.
    static func clamped(_ frames: Int) -> Int { min(max(frames, -placeLimit), placeLimit) }

    /// Counts silence that is in the track: what is missing from before the start is not.
    private func count(_ block: CapturedBlock, at place: Int, isSame: Bool) {
        let gap = place - end
        let room = max(limit - length, 0)
        if !isSame { (skippedFrames, silentFrames) = (0, 0) }
        let dropped = min(block.droppedFrames, Self.placeLimit)
        let missed = missedFrames(of: block, gap: gap)
        let passed = max(place, 0)
        // A block that only reports is where the dropped frames begin.
        let inFile = block.frameCount > 0 ? min(dropped, passed) : max(dropped + min(place, 0), 0)
        ownFigures.missedFrames = Self.sum(ownFigures.missedFrames, min(missed, passed, room))
        ownFigures.droppedFrames = Self.sum(ownFigures.droppedFrames, min(inFile, room))
        guard block.frameCount > 0 else { return }
        guard block.isContinuation else {
            // The first block of a track comes after no other.
            let rest = stream == 0 ? 0 : max(gap, 0) - missed - dropped
            gapFrames = Self.sum(gapFrames, min(max(rest, 0), passed, room))
            return
        }
        skippedFrames = Self.sum(skippedFrames, min(max(gap, 0), passed, room))
    }

    /// Number of missed frames for which silence is in the track: at most the length of that silence, since the source's latency may
    /// have risen meanwhile.
    ///
    /// What the recorder missed is in the gap. What the source alone missed is silent in the blocks before.
    private func missedFrames(of block: CapturedBlock, gap: Int) -> Int {
        guard block.frameCount > 0 else { return block.missedFrames }
        guard block.isContinuation else { return min(block.missedFrames, max(gap, 0) + silentFrames) }
        return max(block.missedFrames + min(gap, 0), 0)
    }

    /// The sum of two numbers that are not negative, clamped.
    private static func sum(_ first: Int, _ second: Int) -> Int {
        min(min(first, placeLimit) + min(second, placeLimit), placeLimit)
    }

    /// Converts sound to the file's channels. A mono source is copied to all channels of a file with more.
    ///
    /// - Parameter peak: the largest of the samples; NaN if one is NaN.
    private func convert(
        _ samples: [Float], _ frames: Range<Int>, channels given: Int, _ peak: inout Float
    ) -> [Float] {
        var sound: [Float] = []
        sound.reserveCapacity(frames.count * channelCount)
        for frame in frames {
            let base = frame * given
            for channel in 0..<channelCount {
                var sample = samples[base]
                if given == channelCount {
                    sample = samples[base + channel]
                } else if given > 1, sample == 0 {
                    // A mono source is on one of the channels while it is being linked, or on all if that was known
                    // earlier.
                    sample = samples[base..<(base + given)].first { $0 != 0 } ?? 0
                }
                peak = sample.isNaN ? .nan : max(peak, abs(sample))
                sound.append(sample)
            }
        }
        return sound
    }

    private static func loudFrames(_ sound: [Float], _ channelCount: Int) -> Int {
        stride(from: 0, to: sound.count, by: channelCount).count {
            sound[$0..<($0 + channelCount)].contains { abs($0) > 1 }
        }
    }

    /// - Parameter place: 0 or more.
    private func put(_ sound: [Float], at place: Int) throws {
        let count = sound.count / channelCount
        let known = min(max(length - place, 0), count)
        ownFigures.repeatedFrames += known
        guard known < count else { return }
        length = try sink.put(Array(sound[(known * channelCount)...]), at: place + known)
    }

    /// Writes the sound that is held.
    ///
    /// - Throws: ``ToolFailure`` if the file cannot grow.
    func flush() throws { try sink.flush() }

    /// Closes the file until more sound comes. Idempotent.
    ///
    /// - Throws: ``ToolFailure``.
    func suspend() throws { try sink.suspend() }
    var isSuspended: Bool { sink.isSuspended }

    /// Fills the file up with silence, and ends it. Idempotent.
    ///
    /// - Parameter isLast: whether to give up a file that cannot be made now.
    /// - Throws: ``ToolFailure``.
    func close(length: Int, isLast: Bool) throws { try sink.close(length: length, isLast: isLast) }

    /// Ends the file as it is, with all sound that can still be written.
    func abandon() { sink.abandon() }
}
