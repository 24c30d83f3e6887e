// SPDX-License-Identifier: MIT
import AudioConversion
import RealtimeKit

/// Converts what a ``ReaderCore`` reads into the app's format: a converter for each lane.
///
/// - Thread: the reader's.
@safe struct ReaderOutput: ~Copyable {
    let format: StreamFormat
    let channelCount: Int
    let isFloat: Bool
    private let byteCount: Int
    private let converters: OwnedCells<FormatConverter.ToClient>
    private let planes: OwnedCells<UnsafeMutableRawPointer>
    private let planeCount: Int
    private let rows: Rows
    /// The rate for which the converters are set, in hertz.
    private var graphRate: Int

    init(_ format: StreamFormat, memory: ReaderMemory, graphRate: Int) {
        self.format = format
        let settings = format.settings(portChannels: memory.stream.width, graphRate: graphRate)
        channelCount = settings.layout.channelCount
        isFloat = format.sample == .float32
        byteCount = format.sample.byteCount
        planeCount = settings.layout.planeCount
        self.graphRate = Int(settings.graphRate)
        converters = OwnedCells(count: memory.stream.laneCount) {
            FormatConverter.ToClient(settings, seed: UInt64($0) &* 2_654_435_761 &+ 1)
        }
        let nowhere = unsafe UnsafeMutableRawPointer(memory.rowTable[0]!)
        unsafe planes = unsafe OwnedCells(count: settings.layout.planeCount) { _ in unsafe nowhere }
        unsafe rows = unsafe memory.rowTable
    }

    /// Number of bytes of a frame in all channels.
    var bytesPerFrame: Int { @_noLocks get { byteCount &* channelCount } }

    /// The delay of the converter, in frames of the graph.
    var delay: Int {
        @_noLocks get {
            Int(converters.cells[0].delayInSeconds * Double(graphRate) + 0.5)
        }
    }

    /// Reads frames of a lane into the app's memory.
    ///
    /// - Parameters:
    ///   - memory: room for all channels of `frameCount` frames.
    ///   - time: that of the request.
    @_noLocks
    mutating func read(
        _ frameCount: Int, lane: Int, of core: Cell<ReaderCore>, into memory: UnsafeMutableRawPointer,
        at time: MonotonicTime
    ) -> ReadResult {
        begin(frameCount, of: core)
        for plane in 0..<planeCount {
            unsafe planes.cells[plane] = unsafe memory + plane &* frameCount &* byteCount
        }
        let converter = converters.cells.cell(lane)
        let lead = converter.value.lead
        var produced = 0
        var whole = core.value.nextPiece(ofLane: lane)
        // What the resampler holds back may be enough, once.
        var least = 0
        while produced < frameCount {
            let wanted = converter.value.inputFramesNeeded(forOutput: frameCount &- produced).least
            let input = min(max(wanted, least), ReaderCore.longestPiece)
            least = 1
            if input > 0 { whole.add(core.value.read(input, lane: lane)) }
            let (_, made) = unsafe converter.value.convert(
                rows, frames: input, into: planes.cells.pointer(at: 0), at: produced, capacity: frameCount &- produced)
            produced &+= made
        }
        return result(of: whole, lead: lead, frameCount, core, time)
    }

    /// Reads frames of a lane for nobody.
    @_noLocks
    mutating func discard(_ frameCount: Int, lane: Int, of core: Cell<ReaderCore>, at time: MonotonicTime) -> ReadResult
    {
        begin(frameCount, of: core)
        var rest = toGraph(frameCount)
        var whole = core.value.nextPiece(ofLane: lane)
        while rest > 0 {
            let count = min(rest, ReaderCore.longestPiece)
            whole.add(core.value.read(count, lane: lane))
            rest &-= count
        }
        return result(of: whole, lead: 0, frameCount, core, time)
    }

    /// - Parameter frameCount: the whole request.
    @_noLocks
    private mutating func begin(_ frameCount: Int, of core: Cell<ReaderCore>) {
        guard core.value.beginRequest(toGraph(frameCount)) else { return }
        if core.value.sampleRate != graphRate { follow(core.value.sampleRate) }
        // A resampler that begins takes more at first than it gives.
        let missing = Double(delay) - converters.cells[0].lead
        if missing > 0 { core.value.wait(Int(missing) &+ 1) }
    }

    @_noLocks
    private func result(
        of whole: ReaderCore.Piece, lead: Double, _ frameCount: Int, _ core: Cell<ReaderCore>, _ time: MonotonicTime
    ) -> ReadResult {
        let timestamp = core.value.timestamp(of: whole, requestedAt: time)
        return ReadResult(
            timestamp: lead == 0 ? timestamp : timestamp.earlier(by: lead, sampleRate: graphRate),
            frameCount: frameCount,
            sampleRate: format.sampleRate ?? core.value.sampleRate,
            lateFrames: min(toClient(whole.lateFrames), frameCount),
            hasSound: whole.hasSound)
    }

    /// Number of the graph's frames that last as long as so many of the app's, rounded up.
    @_noLocks
    private func toGraph(_ frames: Int) -> Int {
        guard let rate = format.sampleRate else { return frames }
        return (frames &* graphRate &+ rate &- 1) / rate
    }

    @_noLocks
    private func toClient(_ frames: Int) -> Int {
        guard let rate = format.sampleRate else { return frames }
        return frames &* rate / graphRate
    }

    @_noLocks
    private mutating func follow(_ rate: Int) {
        graphRate = rate
        for lane in 0..<converters.count { converters.cells[lane].setGraphRate(Double(rate)) }
    }
}
