// SPDX-License-Identifier: MIT
import RealtimeKit

/// The reader of a ``Capture``: takes the blocks of all lanes in the order of their cycles.
struct CaptureReader: ~Copyable {
    private let memory: StreamMemory
    private var newest: TripleBuffer<StreamProgress>.Reader
    /// Lanes whose last dropped frames are not reported yet.
    private var unreported: Range<Int>
    /// The form of the samples that are read from now on.
    var format: StreamFormat
    /// A converter for each lane with sound that needs one.
    private var converters: [CaptureConverter?]
    /// The newest frames of each lane with sound.
    private var histories: [CaptureHistory?]

    init(_ memory: StreamMemory, format: StreamFormat = .float32) {
        self.memory = memory
        self.format = format
        converters = Array(repeating: nil, count: memory.laneCount)
        histories = Array(repeating: nil, count: memory.laneCount)
        newest = memory.progress
        unreported = 0..<memory.laneCount
    }

    var progress: CaptureProgress? {
        mutating get {
            newest.take()
            return newest.value.cycle > 0 ? CaptureProgress(newest.value) : nil
        }
    }

    var isAtEnd: Bool {
        mutating get {
            // First, so that no block comes after it.
            let isFinished = memory.isFinished
            return isFinished && oldestLane() == nil && !converters.contains { $0?.hasRest == true }
                && !unreported.contains { memory.lastReport(ofLane: $0) != nil }
        }
    }

    mutating func read(upTo frameCount: Int) -> CaptureBlock? {
        let isFinished = memory.isFinished
        // First, so that every record of its cycle is there.
        newest.take()
        while let lane = oldestLane(), let record = memory.reading[lane].peek() {
            if let rest = takeRest(before: record.cycle, upTo: frameCount) { return rest }
            if let converter = converters[lane], !converter.accepts(record, format) {
                let following = histories[lane].flatMap { $0.isContinued(by: record) ? $0 : nil }
                if let rest = converter.takeRest(upTo: frameCount, before: following) { return rest }
                converters[lane] = nil
            }
            let history = history(of: lane, for: record)
            if format.isPlain || record.frameCount == 0 { return take(lane, upTo: frameCount, history) }
            let converter = converters[lane] ?? CaptureConverter(format, lane: lane, for: record, after: history)
            converters[lane] = converter
            if let block = converter.convert(record, from: memory.reading.cell(lane), upTo: frameCount, history) {
                return block
            }
        }
        return isFinished ? takeRest(upTo: frameCount) : takeRest(before: newest.value.cycle &+ 1, upTo: frameCount)
    }

    private mutating func history(of lane: Int, for record: StreamRecord) -> CaptureHistory {
        if let history = histories[lane], history.fits(record) { return history }
        let history = CaptureHistory(for: record)
        histories[lane] = history
        return history
    }

    /// What is left of lanes that had nothing in the cycle before another one.
    private mutating func takeRest(before cycle: UInt64, upTo frameCount: Int) -> CaptureBlock? {
        for lane in converters.indices {
            guard let converter = converters[lane], converter.hasRest, converter.lastCycle &+ 1 < cycle,
                memory.reading[lane].peek().map({ $0.cycle >= cycle }) ?? true
            else { continue }
            if let rest = converter.takeRest(upTo: frameCount) { return rest }
        }
        return nil
    }

    /// What is left when no more sound comes.
    private mutating func takeRest(upTo frameCount: Int) -> CaptureBlock? {
        for lane in converters.indices {
            if let rest = converters[lane]?.takeRest(upTo: frameCount) { return rest }
            converters[lane] = nil
        }
        return takeReport()
    }

    /// The lane with the block of the oldest cycle.
    private mutating func oldestLane() -> Int? {
        var oldest: (lane: Int, cycle: UInt64)?
        for lane in 0..<memory.laneCount {
            guard let record = memory.reading[lane].peek(), record.cycle < oldest?.cycle ?? .max else { continue }
            oldest = (lane, record.cycle)
        }
        return oldest?.lane
    }

    private mutating func take(_ lane: Int, upTo limit: Int, _ history: CaptureHistory) -> CaptureBlock? {
        guard var record = memory.reading[lane].peek() else { return nil }
        record.frameCount = min(record.frameCount, limit)
        let (frames, channels) = (record.frameCount, record.channelCount)
        let samples = unsafe [Float](unsafeUninitializedCapacity: frames * channels) { samples, count in
            if let base = samples.baseAddress {
                for channel in 0..<channels {
                    let block = unsafe SampleBlock(base + channel * frames, frameCount: frames)
                    memory.reading[lane].copy(channel: channel, into: block)
                }
            }
            count = frames * channels
        }
        history.append(record, samples, frames)
        memory.reading[lane].discard(frames)
        return CaptureBlock(record, lane: lane, format: format, samples: samples)
    }

    /// The next report of a lane's last dropped frames.
    private mutating func takeReport() -> CaptureBlock? {
        while let lane = unreported.first {
            unreported.removeFirst()
            if let report = memory.lastReport(ofLane: lane) {
                return CaptureBlock(report, lane: lane, format: format, samples: [])
            }
        }
        return nil
    }
}
