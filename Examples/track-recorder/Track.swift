// SPDX-License-Identifier: MIT
import ToolSupport

/// The sound of one source, put at its place frame by frame. Where none was, there is silence.
///
/// What is there already stays: frames that come for the same time again are left out, and counted. Silence is never
/// there already: it only fills up.
///
/// - Thread: the writer's.
final class Track {
    private let sink: TrackSink
    private let start: Int64
    private let limit: Int
    /// Sound is put up to here.
    private var length = 0
    /// The stream that the last block was of, its lane, and where that block ended.
    private(set) var stream: UInt64 = 0
    private(set) var lane = 0
    private var end = 0
    private var ownFigures: TrackFigures
    /// Frames that were left out, if there is more to come of the stream: the latency of a source that goes is gone before
    /// it is, and then there is only silence behind it.
    private var skippedFrames = 0

    /// Beyond this no place is told from another, so that no sum of two can overflow.
    private static let horizon = 1 << 60

    /// - Parameters:
    ///   - start: the place of the first frame.
    ///   - limit: most frames; `.max` for any number.
    init(_ sink: TrackSink, title: String, start: Int64, limit: Int) {
        self.sink = sink
        self.start = start
        self.limit = min(limit, Self.horizon)
        ownFigures = TrackFigures(title: title, channelCount: sink.channelCount)
    }

    var channelCount: Int { sink.channelCount }

    /// What it came to, so far.
    var figures: TrackFigures {
        var figures = ownFigures
        figures.file = sink.fileName
        figures.frames = sink.frameCount
        figures.lostFrames = sink.lostFrames
        figures.reason = sink.failure
        return figures
    }

    /// Puts a block where it belongs.
    ///
    /// - Parameters:
    ///   - samples: interleaved.
    ///   - width: channels of the samples, of which the block may have fewer.
    func add(_ block: CapturedBlock, _ samples: [Float], width: Int, lane: Int) throws {
        let place = Self.distance(from: start, to: block.position)
        count(block, gap: place - end, isSame: stream == block.stream && self.lane == lane)
        stream = block.stream
        self.lane = lane
        guard block.frameCount > 0 else { return }
        end = place + block.frameCount
        var peak: Float = 0
        let frames = max(-place, 0)..<max(min(block.frameCount, limit - place), max(-place, 0))
        let sound = convert(samples, frames, width: width, given: block.channelCount, &peak)
        guard peak > 0 || peak.isNaN else { return }
        ownFigures.peak = max(ownFigures.peak, peak)
        ownFigures.skippedFrames = Self.sum(ownFigures.skippedFrames, skippedFrames)
        skippedFrames = 0
        try put(sound, at: place + frames.lowerBound)
    }

    /// How far a place is behind another one. Places may wrap.
    static func distance(from start: Int64, to place: Int64) -> Int {
        min(max(Int(place &- start), -horizon), horizon)
    }

    /// - Parameter gap: frames between the end of the last block and this one.
    private func count(_ block: CapturedBlock, gap: Int, isSame: Bool) {
        let room = max(limit - length, 0)
        // No more than is silent: over a change of clock a client counts anything.
        let missed = block.frameCount > 0 ? min(block.missedFrames, max(gap, 0)) : block.missedFrames
        ownFigures.missedFrames = Self.sum(ownFigures.missedFrames, min(missed, room))
        ownFigures.droppedFrames = Self.sum(ownFigures.droppedFrames, min(block.droppedFrames, room))
        if !isSame { skippedFrames = 0 }
        guard block.isContinuation, block.frameCount > 0 else { return }
        skippedFrames = Self.sum(skippedFrames, min(max(gap, 0), room))
    }

    /// Of two numbers that are not negative, clamped.
    private static func sum(_ first: Int, _ second: Int) -> Int {
        min(min(first, horizon) + min(second, horizon), horizon)
    }

    /// Brings sound to the file's channels. A mono source is the same on all channels of a file that has more.
    ///
    /// - Parameter peak: the largest of the samples; NaN if one is no number.
    private func convert(
        _ samples: [Float], _ frames: Range<Int>, width: Int, given: Int, _ peak: inout Float
    ) -> [Float] {
        var sound: [Float] = []
        sound.reserveCapacity(frames.count * channelCount)
        for frame in frames {
            let base = frame * width
            for channel in 0..<channelCount {
                var sample = samples[base]
                if given == channelCount {
                    sample = samples[base + channel]
                } else if given > 1, sample == 0 {
                    // A mono source is on one of the channels while it is being linked, or on all before that was known.
                    sample = samples[base..<(base + given)].first { $0 != 0 } ?? 0
                }
                peak = sample.isNaN ? .nan : max(peak, abs(sample))
                sound.append(sample)
            }
        }
        return sound
    }

    /// - Parameter place: 0 or more.
    private func put(_ sound: [Float], at place: Int) throws {
        let count = sound.count / channelCount
        let known = min(max(length - place, 0), count)
        ownFigures.repeatedFrames += known
        guard known < count else { return }
        length = try sink.put(Array(sound[(known * channelCount)...]), at: place + known)
    }

    /// Writes what waits.
    ///
    /// - Throws: ``ToolFailure`` if the file can take no more.
    func flush() throws { try sink.flush() }

    /// Closes the file until more comes. Idempotent.
    ///
    /// - Throws: ``ToolFailure``.
    func suspend() throws { try sink.suspend() }
    var isSuspended: Bool { sink.isSuspended }

    /// Fills up with silence, and ends the file. Idempotent.
    ///
    /// - Parameter isLast: a file that cannot be had now is given up.
    /// - Throws: ``ToolFailure``.
    func close(length: Int, isLast: Bool) throws { try sink.close(length: length, isLast: isLast) }

    /// Ends the file as it is, with what can still be written.
    func abandon() { sink.abandon() }
}
