// SPDX-License-Identifier: MIT
import RealtimeKit
import ToolSupport

/// A file as it grows. Every frame is put at its place; where none was, there is silence.
///
/// - Thread: the writer's.
final class Track {
    private var wav: WaveFileWriter?
    private let start: Int64
    private let limit: Int
    /// Interleaved samples that are not in the file yet.
    private var waiting: [Float] = []
    private static let mostWaiting = 1 << 16
    /// The stream that the last block was of, and where it came from.
    private(set) var stream: UInt64 = 0
    private(set) var lane = 0
    private(set) var figures: TrackFigures
    /// Frames that were left out, if there is more to come of the stream: the latency of a source that goes is gone before
    /// it is, and then there is only silence behind it.
    private var skippedFrames = 0

    /// - Parameters:
    ///   - start: the place of the first frame.
    ///   - limit: most frames.
    init(
        _ file: OutputFile, channelCount: Int, sampleRate: Int, format: SampleFormat, start: Int64, limit: Int
    ) throws {
        figures = TrackFigures(
            file: String(file.path.split(separator: "/").last ?? ""), channelCount: channelCount)
        self.start = start
        self.limit = limit
        wav = try WaveFileWriter(file, channelCount: channelCount, sampleRate: sampleRate, format: format)
    }

    var channelCount: Int { figures.channelCount }

    /// Frames that are in the file or on their way to it.
    private var length: Int { (wav?.frameCount ?? figures.frames) + waiting.count / channelCount }

    /// Puts a block where it belongs. Frames for which the file has something already are left out: a source that has to
    /// wait longer than before comes with the same once more.
    ///
    /// - Parameters:
    ///   - samples: interleaved.
    ///   - width: channels of the samples, of which the block may have fewer.
    func add(_ block: CapturedBlock, _ samples: [Float], width: Int, lane: Int) throws {
        let place = Int(block.position &- start)
        let gap = max(place - length, 0)
        count(block, gap: block.frameCount > 0 ? gap : 0, isSame: stream == block.stream && self.lane == lane)
        stream = block.stream
        self.lane = lane
        guard block.frameCount > 0 else { return }
        try pad(to: min(place, limit))
        let known = min(max(length - place, 0), block.frameCount)
        let end = min(block.frameCount, max(limit - place, known))
        guard known < end else { return }
        if append(samples, known..<end, width: width, given: block.channelCount) > 0 {
            figures.skippedFrames += skippedFrames
            skippedFrames = 0
        }
        if waiting.count >= Self.mostWaiting { try flush() }
    }

    private func count(_ block: CapturedBlock, gap: Int, isSame: Bool) {
        let room = limit - length
        figures.missedFrames += min(block.missedFrames, room)
        figures.droppedFrames += min(block.droppedFrames, room)
        if !isSame { skippedFrames = 0 }
        if block.isContinuation { skippedFrames += min(gap, room) }
    }

    /// A mono source is the same on all channels of a file that has more.
    ///
    /// - Returns: the largest of the samples.
    private func append(_ samples: [Float], _ frames: Range<Int>, width: Int, given: Int) -> Float {
        var peak: Float = 0
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
                peak = max(peak, abs(sample))
                waiting.append(sample)
            }
        }
        figures.peak = max(figures.peak, peak)
        return peak
    }

    /// Fills up with silence.
    func pad(to length: Int) throws {
        let missing = length - self.length
        guard missing > 0 else { return }
        try flush()
        try wav?.writeSilence(frames: missing)
    }

    /// Writes what waits.
    func flush() throws {
        guard !waiting.isEmpty else { return }
        let samples = waiting
        waiting.removeAll(keepingCapacity: true)
        try wav?.write(samples[...])
    }

    /// Ends the file. Twice is once.
    func close() throws {
        guard let wav = wav.take() else { return }
        figures.frames = wav.frameCount
        try wav.close()
    }
}
