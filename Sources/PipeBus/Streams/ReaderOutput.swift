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
    /// Of the app's format, in hertz; 0 for the graph's.
    private let appRate: Int
    private let byteCount: Int
    private let converters: OwnedCells<FormatConverter.ToClient>
    private let planes: OwnedCells<UnsafeMutableRawPointer>
    private let planeCount: Int
    private let rows: Rows
    /// The rate for which the converters are set, in hertz.
    private var graphRate: Int
    /// Whether there is a resampler in the sound's way. Asking a converter would copy it.
    private(set) var isResampling: Bool
    /// What ``countLate(_:of:lane:)`` has left over of each lane, in frames of the app times the graph's rate.
    private let lateRests: OwnedCells<Int>
    /// Steers the converters, for an app with a clock of its own.
    private var clock: ReaderClock?
    /// Whether there is one. Looking at it would copy it.
    private let hasClock: Bool
    /// The time of the next calls, in tests whose time is not the computer's.
    var timeOfCalls: MonotonicTime?
    /// Number of the app's frames that each lane has given in this interval.
    private let given: OwnedCells<Int>
    /// Whether what a lane has given last was sound.
    private let hasSound: OwnedCells<Bool>
    /// Room for ``longestBlock`` frames: of the reader's own memory, and for sound that nobody reads.
    private let block: OwnedCells<UInt8>

    /// The largest number of frames in memory of the reader's.
    static var longestBlock: Int { @_noLocks get { 1 << 14 } }

    init(_ format: StreamFormat, memory: ReaderMemory, graphRate: Int, hasOwnClock: Bool) {
        self.format = format
        appRate = format.sampleRate ?? 0
        let settings = format.settings(
            portChannels: memory.stream.width, graphRate: graphRate, isAdjustable: hasOwnClock)
        channelCount = settings.layout.channelCount
        isFloat = format.sample == .float32
        byteCount = format.sample.byteCount
        planeCount = settings.layout.planeCount
        self.graphRate = Int(settings.graphRate)
        converters = OwnedCells(count: memory.stream.laneCount) {
            FormatConverter.ToClient(settings, seed: UInt64($0) &* 2_654_435_761 &+ 1)
        }
        isResampling = converters.cells[0].isResampling
        clock =
            hasOwnClock
            ? ReaderClock(appRate: Int(settings.clientRate), graphRate: Int(settings.graphRate)) : nil
        hasClock = hasOwnClock
        given = OwnedCells(repeating: 0, count: memory.stream.laneCount)
        lateRests = OwnedCells(repeating: 0, count: memory.stream.laneCount)
        hasSound = OwnedCells(repeating: false, count: memory.stream.laneCount)
        block = OwnedCells(
            repeating: 0, count: Self.longestBlock * settings.layout.channelCount * format.sample.byteCount,
            alignment: 64)
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

    /// Number of the graph's frames of sound that the converters have taken and not given, of all lanes.
    var heldFrames: Int {
        @_noLocks get {
            var frames = 0
            for lane in 0..<converters.count where hasSound.cells[lane] {
                frames &+= max(Int(lead(ofLane: lane) + 0.5), 0)
            }
            return frames
        }
    }

    /// The distance from the graph, in frames of the graph, or what it is going to be.
    func distance(of core: Cell<ReaderCore>) -> Int {
        guard let clock else { return core.value.target }
        return core.value.isRunning ? clock.target : core.value.target + clockMargin
    }
    /// Number of frames of the graph by which an app with a clock of its own stays further behind.
    private var clockMargin: Int { @_noLocks get { hasClock ? ReaderClock.margin(graphRate: graphRate) : 0 } }
    /// Whether the distance of an app with a clock of its own is what it should be.
    var isLocked: Bool { @_noLocks get { clock?.isLocked ?? true } }
    /// Memory for ``longestBlock`` frames in all channels.
    var blockMemory: UnsafeMutableRawPointer {
        @_noLocks get { unsafe UnsafeMutableRawPointer(block.cells.pointer(at: 0)) }
    }

    /// Ends an interval of all lanes.
    ///
    /// The resamplers of all lanes stay at one place, so what was not read of a lane goes through its resampler too.
    @_noLocks
    mutating func endInterval(of core: Cell<ReaderCore>) {
        let lanes = given.count
        var longest = 0
        for lane in 0..<lanes { longest = max(longest, given.cells[lane]) }
        core.value.noteInterval(longest, rate: appRate)
        if hasClock { clock?.advance(longest) }
        guard isResampling else {
            for lane in 0..<lanes { given.cells[lane] = 0 }
            return core.value.endInterval()
        }
        // What an app leaves unread does not count.
        let counted = core.value.statistics
        for lane in 0..<lanes {
            while given.cells[lane] < longest {
                let count = min(longest &- given.cells[lane], Self.longestBlock)
                _ = unsafe fill(count, lane: lane, of: core, into: blockMemory)
            }
        }
        core.value.statistics = counted
        for lane in 0..<lanes { given.cells[lane] = 0 }
        core.value.endResampledInterval()
    }

    /// Reads frames of a lane into the app's memory.
    ///
    /// - Parameters:
    ///   - memory: room for all channels of `frameCount` frames.
    ///   - time: that of the request; `nil`: now, which is looked up only where something follows from it.
    @_noLocks
    mutating func read(
        _ frameCount: Int, lane: Int, of core: Cell<ReaderCore>, into memory: UnsafeMutableRawPointer,
        at time: MonotonicTime?
    ) -> ReadResult {
        begin(frameCount, lane: lane, of: core, at: time)
        let lead = lead(ofLane: lane)
        let whole = unsafe fill(frameCount, lane: lane, of: core, into: memory)
        return result(of: whole, lead: lead, frameCount, lane, core)
    }

    @_noLocks
    private mutating func fill(
        _ frameCount: Int, lane: Int, of core: Cell<ReaderCore>, into memory: UnsafeMutableRawPointer
    ) -> ReaderPiece {
        for plane in 0..<planeCount {
            unsafe planes.cells[plane] = unsafe memory + plane &* frameCount &* byteCount
        }
        let converter = converters.cells.cell(lane)
        var produced = 0
        var whole = core.value.nextPiece(ofLane: lane)
        if !isResampling {
            while produced < frameCount {
                let run = core.value.next(frameCount &- produced, lane: lane, &whole)
                unsafe converter.value.store(
                    run.rows, from: run.first, frames: run.frameCount, into: planes.cells.pointer(at: 0), at: produced)
                core.value.release(run, lane: lane)
                produced &+= run.frameCount
            }
        }
        // What the resampler holds back may be enough, once.
        var least = 0
        while produced < frameCount {
            let rest = frameCount &- produced
            let wanted = max(converter.value.inputFramesNeeded(forOutput: rest).least, least)
            least = 1
            guard wanted > 0 else {
                produced &+= unsafe converter.value.convert(
                    rows, frames: 0, into: planes.cells.pointer(at: 0), at: produced, capacity: rest
                ).produced
                continue
            }
            let run = core.value.next(wanted, lane: lane, &whole)
            let (_, made) = unsafe converter.value.convert(
                run.rows, from: run.first, frames: run.frameCount, into: planes.cells.pointer(at: 0), at: produced,
                capacity: rest)
            core.value.release(run, lane: lane)
            produced &+= made
        }
        core.value.count(whole)
        hasSound.cells[lane] = whole.hasSound
        given.cells[lane] = given.cells[lane] &+ frameCount
        return whole
    }

    /// By how much what the lane's converter has taken is ahead of what it gives next, in frames of the graph.
    @_noLocks
    private func lead(ofLane lane: Int) -> Double { isResampling ? converters.cells[lane].lead : 0 }

    /// Reads frames of a lane for nobody.
    @_noLocks
    mutating func discard(_ frameCount: Int, lane: Int, of core: Cell<ReaderCore>, at time: MonotonicTime?)
        -> ReadResult
    {
        begin(frameCount, lane: lane, of: core, at: time)
        let lead = lead(ofLane: lane)
        var whole = core.value.nextPiece(ofLane: lane)
        var rest = frameCount
        while rest > 0 {
            let count = min(rest, Self.longestBlock)
            whole.add(unsafe fill(count, lane: lane, of: core, into: blockMemory))
            rest &-= count
        }
        return result(of: whole, lead: lead, frameCount, lane, core)
    }

    /// - Parameter frameCount: the whole request.
    @_noLocks
    private mutating func begin(_ frameCount: Int, lane: Int, of core: Cell<ReaderCore>, at time: MonotonicTime?) {
        switch core.value.beginRequest(frameCount, rate: appRate) {
        case .none: return
        case .idle:
            let rate = core.value.presentRate
            if rate > 0, rate != graphRate { follow(rate) }
            // A resampler that begins takes more at first than it gives.
            core.value.passIdle(
                frameCount, rate: appRate, at: .orNow(time), margin: clockMargin &+ delay &- Int(lead(ofLane: lane)))
        case .start:
            if core.value.sampleRate != graphRate { follow(core.value.sampleRate) }
            if hasClock { clock?.begin(graphRate: graphRate) }
            if let step = steer(.none, targetChange: 0, lane: lane, of: core, at: time) {
                // What is waited for at the beginning is not late.
                if step.frames > 0 { core.value.wait(step.frames) } else { core.value.move(step) }
                return
            }
            // A resampler that begins takes more at first than it gives.
            let missing = Double(delay) - converters.cells[0].lead
            if missing > 0 { core.value.wait(Int(missing) &+ 1) }
        case .step(let step, let targetChange):
            if let steered = steer(step, targetChange: targetChange, lane: lane, of: core, at: time) {
                core.value.move(steered)
            } else {
                core.value.move(step)
            }
        }
    }

    /// Keeps the distance from the graph by the resamplers' ratio.
    ///
    /// - Returns: the step to take instead of the pacing's; `nil` without a clock of the app's own that can be followed.
    @_noLocks
    private mutating func steer(
        _ pacing: ReaderPacing.Step, targetChange: Int, lane: Int, of core: Cell<ReaderCore>, at time: MonotonicTime?
    ) -> ReaderPacing.Step? {
        guard hasClock, var clock else { return nil }
        let step = clock.step(
            pacing, targetChange: targetChange, needed: core.value.target,
            place: core.value.nextPlace(ofLane: lane), lead: converters.cells[lane].lead, lookahead: delay,
            core.value.progress, at: time, called: timeOfCalls)
        self.clock = clock
        for lane in 0..<converters.count { converters.cells.cell(lane).value.adjustRate(by: clock.factor) }
        return step
    }

    @_noLocks
    private mutating func result(
        of whole: ReaderPiece, lead: Double, _ frameCount: Int, _ lane: Int, _ core: Cell<ReaderCore>
    ) -> ReadResult {
        let timestamp = core.value.timestamp(of: whole)
        return ReadResult(
            timestamp: lead == 0 ? timestamp : timestamp.earlier(by: lead, sampleRate: graphRate),
            frameCount: frameCount,
            sampleRate: appRate > 0 ? appRate : core.value.presentRate,
            lateFrames: countLate(whole.lateFrames, of: frameCount, lane: lane),
            hasSound: whole.hasSound)
    }

    /// Number of the app's frames in late ones of the graph. Over many reads of a lane it is exact, with a clock of the app's own to the
    /// difference of the clocks.
    @_noLocks
    private mutating func countLate(_ frames: Int, of frameCount: Int, lane: Int) -> Int {
        guard let rate = format.sampleRate else { return min(frames, frameCount) }
        let whole = frames &* rate &+ lateRests.cells[lane]
        let count = min(whole / graphRate, frameCount)
        // What a resampler holds back is heard in the next read, and it takes a frame or two more at times.
        lateRests.cells[lane] = min(whole &- count &* graphRate, graphRate &+ (delay &+ 2) &* rate)
        return count
    }

    @_noLocks
    private mutating func follow(_ rate: Int) {
        graphRate = rate
        for lane in 0..<lateRests.count { lateRests.cells[lane] = 0 }
        for lane in 0..<converters.count { converters.cells.cell(lane).value.setGraphRate(Double(rate)) }
        isResampling = converters.cells[0].isResampling
    }
}
