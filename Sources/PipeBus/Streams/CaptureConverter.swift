// SPDX-License-Identifier: MIT
import AudioConversion
import RealtimeKit

/// Converts the sound of one lane of a ``Capture`` into the app's format, as long as it goes on without a gap.
///
/// A resampler holds sound back. ``takeRest(upTo:)`` gives it when something else follows.
///
/// - Thread: any, one at a time.
/// - Realtime: unsafe.
@safe final class CaptureConverter {
    private let format: StreamFormat
    private let lane: Int
    /// Of the sound, and of the app.
    private let channelCount: Int
    private let layout: SampleLayout
    private let graphRate: Int
    private var converter: FormatConverter.ToClient
    /// Memory of a cycle, and its rows.
    private let input: OwnedCells<Float>
    private let rows: OwnedCells<UnsafeMutablePointer<Float>?>
    /// What follows directly on the sound that went in; without frames.
    private var end: StreamRecord?
    /// The beginning of the sound that went in, until a block reports it.
    private var unreported: StreamRecord?
    /// Number of frames of the app that are held back, once no more sound follows.
    private var remaining: Int?

    /// Number of frames of the app that come before the first one, and are not kept.
    private var skippedFrames = 0
    /// Number of frames that went in since the sound has ended.
    private var framesAfterEnd = 0

    /// The largest number of frames that are converted at once.
    private static let longestBlock = 1 << 16

    /// - Parameter history: what the sound goes on after, in another format.
    init(_ format: StreamFormat, lane: Int, for record: StreamRecord, after history: CaptureHistory?) {
        self.format = format
        self.lane = lane
        channelCount = record.channelCount
        graphRate = record.sampleRate
        let settings = format.settings(portChannels: record.channelCount, graphRate: record.sampleRate)
        var layout = settings.layout
        // Floats are kept by channel; ``CaptureBlock/interleaved`` has the other order.
        if format.sample == .float32 { layout.isInterleaved = false }
        self.layout = layout
        converter = FormatConverter.ToClient(
            FormatConverter.Settings(
                layout: layout, graphChannelCount: record.channelCount, graphRate: settings.graphRate,
                clientRate: settings.clientRate), seed: UInt64(lane) &* 2_654_435_761 &+ 1)
        let longest = AudioCycle.maximumFrameCount
        let input = OwnedCells<Float>(repeating: 0, count: channelCount * longest, alignment: 64)
        let cells = input.cells
        self.input = input
        unsafe rows = unsafe OwnedCells(count: channelCount) { unsafe cells.pointer(at: $0 * longest) }
        if let history, history.isContinued(by: record) { begin(after: history) }
    }

    /// Fills the resampler with the frames before, as if it had always run.
    private func begin(after history: CaptureHistory) {
        guard converter.isResampling, let rate = format.sampleRate else { return }
        var frames = Int(converter.delayInSeconds * Double(graphRate) + 0.5) + 1
        // So many that the first frame is at the time of one of the app's, if the rates have that within some.
        var (divisor, rest) = (rate, graphRate)
        while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
        let period = graphRate / divisor
        if period <= 1024 { frames = (frames + period - 1) / period * period }
        unsafe history.copyLatest(frames, into: Rows(rows.cells.pointer(at: 0)))
        skippedFrames = frames * rate / graphRate
        var taken = 0
        while taken < frames {
            let (_, used, made) = run(frames - taken, from: taken, upTo: skippedFrames + 1)
            taken += used
            skippedFrames -= made
            if used == 0 && made == 0 { break }
        }
    }

    /// Whether frames follow without a gap on those that went in, in the same format.
    func accepts(_ record: StreamRecord, _ format: StreamFormat) -> Bool {
        guard format == self.format, record.channelCount == channelCount, record.sampleRate == graphRate else {
            return false
        }
        guard let end else { return true }
        // A continuation has no gap: silence stands for what its source missed, and nothing was dropped.
        return remaining == nil && record.isContinuation && record.generation == end.generation
            && record.clock == end.clock
    }

    /// Converts the oldest frames of a lane, and removes them.
    ///
    /// - Returns: `nil` if a resampler needs more to begin.
    func convert(
        _ record: StreamRecord, from source: Cell<StreamReadLane>, upTo limit: Int, _ history: CaptureHistory
    ) -> CaptureBlock? {
        for channel in 0..<channelCount {
            let row = unsafe rows.cells[channel].unsafelyUnwrapped
            source.value.copy(channel: channel, into: unsafe SampleBlock(row, frameCount: record.frameCount))
        }
        let lead = converter.lead
        let isSkipping = skippedFrames > 0
        let most = isSkipping ? skippedFrames : min(limit, Self.longestBlock)
        let (memory, taken, made) = run(record.frameCount, upTo: most)
        unsafe history.append(record, Rows(rows.cells.pointer(at: 0)), taken)
        source.value.discard(taken)
        end = record.advanced(by: taken)
        if isSkipping { skippedFrames -= made }
        var beginning = unreported ?? record
        // Reported once, with its frames: what is left of a record has none.
        beginning.missedFrames = (unreported?.missedFrames ?? 0) + (taken > 0 ? record.missedFrames : 0)
        guard made > 0, !isSkipping else {
            unreported = beginning
            return nil
        }
        unreported = nil
        (beginning.arrival, beginning.nanoseconds) = (record.arrival, record.nanoseconds)
        (beginning.age, beginning.tag) = (record.age, record.tag)
        return block(beginning, lead: lead, memory, made)
    }

    /// The sound that the resampler holds back, from its beginning; `nil` when all was given.
    ///
    /// - Parameter history: of sound that goes on in another format; `nil` where it ends.
    func takeRest(upTo limit: Int, before history: CaptureHistory? = nil) -> CaptureBlock? {
        guard var end, converter.isResampling else { return nil }
        while skippedFrames > 0 {
            let (taken, made) = push(upTo: skippedFrames, history).counts
            end = end.advanced(by: taken)
            skippedFrames -= made
            if made == 0 { break }
        }
        self.end = end
        let lead = converter.lead
        // Up to the end of the sound that went in. A sum of the resampler's is off by less than a billionth of a frame.
        let rest = remaining ?? max(Int((lead * converter.ratio - 1e-6).rounded(.up)), 0)
        guard rest > 0 else { return nil }
        let (memory, (taken, made)) = push(upTo: min(rest, limit), history)
        remaining = rest - made
        var beginning = end
        if let unreported {
            beginning = unreported
            (beginning.arrival, beginning.nanoseconds) = (end.arrival, end.nanoseconds)
        } else {
            beginning.isContinuation = true
            (beginning.missedFrames, beginning.droppedFrames) = (0, 0)
        }
        unreported = nil
        self.end = end.advanced(by: taken)
        return made > 0 ? block(beginning, lead: lead, memory, made) : nil
    }

    /// The cycle of the last sound that went in; 0 before any.
    var lastCycle: UInt64 { end?.cycle ?? 0 }

    /// Whether sound is held back.
    var hasRest: Bool { end != nil && converter.isResampling && remaining != 0 }

    /// Pushes sound out of the resampler: with what would follow, or with silence.
    private func push(upTo most: Int, _ history: CaptureHistory?) -> (memory: [UInt8], counts: (Int, Int)) {
        let count = AudioCycle.maximumFrameCount
        let rows = unsafe Rows(rows.cells.pointer(at: 0))
        if let history {
            unsafe history.copyPrediction(from: framesAfterEnd, count, into: rows)
        } else {
            for channel in 0..<channelCount {
                unsafe rows[channel].unsafelyUnwrapped.update(repeating: 0, count: count)
            }
        }
        let (memory, taken, made) = run(count, upTo: most)
        framesAfterEnd += taken
        return (memory, (taken, made))
    }

    /// Converts frames of the rows.
    private func run(_ frames: Int, from first: Int = 0, upTo most: Int) -> (memory: [UInt8], taken: Int, made: Int) {
        // No more than comes of them: a block keeps its memory.
        let likely = (Double(frames) + converter.lead + 2) * converter.ratio + 2
        let limit = max(min(most, Int(min(likely, Double(Self.longestBlock)))), 1)
        let plane = limit * (layout.isInterleaved ? layout.channelCount : 1) * layout.sample.byteCount
        var (taken, made) = (0, 0)
        let memory = unsafe [UInt8](unsafeUninitializedCapacity: plane * layout.planeCount) { bytes, count in
            let base = unsafe UnsafeMutableRawPointer(bytes.baseAddress.unsafelyUnwrapped)
            let planes = unsafe OwnedCells<UnsafeMutableRawPointer>(count: layout.planeCount) {
                unsafe base + $0 * plane
            }
            (taken, made) = unsafe converter.convert(
                Rows(rows.cells.pointer(at: 0)), from: first, frames: frames, into: planes.cells.pointer(at: 0),
                capacity: limit)
            // The planes come together.
            let size = made * plane / limit
            for index in 1..<max(layout.planeCount, 1) {
                unsafe (base + index * size).copyMemory(from: base + index * plane, byteCount: size)
            }
            count = size * layout.planeCount
        }
        return (memory, taken, made)
    }

    private func block(_ record: StreamRecord, lead: Double, _ memory: [UInt8], _ made: Int) -> CaptureBlock {
        CaptureBlock(
            record, lane: lane, lead: lead, format: format, channelCount: layout.channelCount,
            sampleRate: format.sampleRate ?? graphRate, frameCount: made, bytes: memory)
    }
}
