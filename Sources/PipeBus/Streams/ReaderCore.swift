// SPDX-License-Identifier: MIT
import AudioConversion
import RealtimeKit
import Synchronization

/// The state of a ``Reader``. Reached through a plain address, owned by ``ReaderMemory``.
///
/// All lanes are read for the same *interval* of the graph's time, which begins at a place of the stream's. Silence is put where
/// nothing came, so an interval takes as long as it is, whatever comes. The place moves with the app's requests;
/// ``ReaderPacing`` keeps it behind the graph.
///
/// - Thread: the reader's.
/// - Realtime: safe.
@safe struct ReaderCore: ~Copyable {
    let port: Cell<PortCore>
    let lanes: Cells<ReaderLane>
    let laneCount: Int
    private let fadeMicroseconds: Int
    /// Rows of the longest piece, for the channels of a lane, and their addresses.
    private let rows: BlockPool
    private let rowTable: Rows
    /// Number of frames that each lane has given in this interval.
    let offsets: Cells<Int>
    private var newest: TripleBuffer<StreamProgress>.Reader
    var pacing = ReaderPacing()
    /// The block that the app has declared; 0 for none.
    private let declaredBlock: Int
    var statistics = ReaderStatistics()

    /// Whether sound has a place. Without, nothing is connected, and the reader gives silence.
    private(set) var isRunning = false
    /// The start of the interval, in the stream's time.
    var place: Int64 = 0
    /// Number of frames of silence to give before the sound goes on.
    var heldFrames = 0
    /// The number of the newest cycle when the reader last had no sound to place.
    private var idleCycle: UInt64 = 0
    var idleTime = ReaderIdleTime()
    /// Whether sound begins anew with the next request, unless nothing is linked any more.
    private var isRestarting = false
    /// The last block, as the pacing takes it.
    private(set) var lastBlock: Int
    /// Of the sound that is read, or was read last, in hertz; 0 before the first.
    private(set) var sampleRate = 0
    private var fadeLength = 0
    /// Whether there was a request in this interval.
    var isBegun = false
    /// The block that the pacing knew when the interval began.
    private(set) var firstBlock = 0
    /// The length of the last interval and the rate of its frames, if its first request was shorter.
    var partsOfInterval = (frameCount: 0, rate: 0)

    @_noLocks
    init(
        port: Cell<PortCore>, lanes: Cells<ReaderLane>, laneCount: Int, fadeMicroseconds: Int, rows: BlockPool,
        rowTable: Rows, offsets: Cells<Int>, newest: TripleBuffer<StreamProgress>.Reader, declaredBlock: Int
    ) {
        self.port = port
        self.lanes = lanes
        self.laneCount = laneCount
        self.fadeMicroseconds = fadeMicroseconds
        self.rows = rows
        unsafe self.rowTable = unsafe rowTable
        self.offsets = offsets
        self.newest = newest
        self.declaredBlock = declaredBlock
        lastBlock = declaredBlock
    }

    /// The longest piece of a request that is read at once, in frames.
    static var longestPiece: Int { @_noLocks get { AudioCycle.maximumFrameCount } }

    /// Begins the interval, with the first request in it.
    ///
    /// - Parameters:
    ///   - frameCount: the whole request.
    ///   - rate: of its frames, in hertz; 0: the graph's.
    @_noLocks
    mutating func beginRequest(_ frameCount: Int, rate: Int) -> Beginning {
        guard !isBegun else { return .none }
        guard frameCount > 0 else { return isRunning ? .none : .idle }
        isBegun = true
        let (lastEnd, lastEpoch) = (newest.value.arrivalEnd, newest.value.connectionEpoch)
        newest.take()
        let progress = newest.value
        let block = max(max(graphFrames(frameCount, rate: rate), declaredBlock), 1)
        firstBlock = block
        // An app that reads in parts goes on with that.
        let whole = max(block, graphFrames(partsOfInterval.frameCount, rate: partsOfInterval.rate))
        lastBlock = whole
        if !isRunning {
            if isRestarting, !hasBeenLinked(since: progress.connectionEpoch) { stop(progress) }
            if progress.cycle == idleCycle { return .idle }
        }
        // It may have begun late in a short connection: sound of another one, after silence, is at its distance again.
        let isOther = progress.connectionEpoch != lastEpoch && lastEnd <= place
        if !isRunning || isOther || progress.sampleRate != sampleRate {
            start(whole, progress)
            return .start
        }
        let fill = fill
        if !hasBeenLinked(since: progress.connectionEpoch) {
            // What is missing after the last sound is not late, and no sign of being too near.
            guard fill <= 0 else { return .none }
            stop(progress)
            return .idle
        }
        let before = pacing.target
        let came = max(min(progress.arrivalEnd &- lastEnd, 1 << 40), 0)
        let step = pacing.step(
            fill: fill &+ heldFrames, block: block, cycle: progress.frameCount,
            cycleNumber: progress.cycle, came: Int(truncatingIfNeeded: came), sampleRate: sampleRate)
        return .step(step, targetChange: pacing.target &- before)
    }

    /// A number of frames of the app at the graph's rate.
    ///
    /// - Parameter rate: of the app's, in hertz; 0: the graph's.
    @_noLocks
    func graphFrames(_ frameCount: Int, rate: Int) -> Int {
        guard rate > 0 else { return frameCount }
        let graphRate = isRunning ? progress.sampleRate : presentRate
        return (frameCount &* graphRate &+ rate &- 1) / rate
    }

    /// Number of frames that have come and are not read, with the interval's.
    var fill: Int {
        @_noLocks get { Int(truncatingIfNeeded: max(min(progress.arrivalEnd &- place, 1 << 40), -1 << 40)) }
    }

    /// Changes the distance from the graph, before the interval's first frame is read.
    @_noLocks
    mutating func move(_ step: ReaderPacing.Step) {
        switch step {
        case .none: break
        case .hold(let frames): heldFrames &+= frames
        case .skip(let frames): skip(frames)
        }
    }

    /// The newest cycle, as of the interval's beginning.
    var progress: StreamProgress { @_noLocks get { newest.value } }
    /// The place of the lane's next frame.
    @_noLocks
    func nextPlace(ofLane lane: Int) -> Int64 { place &+ Int64(truncatingIfNeeded: offsets[lane] &- heldFrames) }

    /// Moves the sound's place back, right after it was given one.
    @_noLocks
    mutating func wait(_ frames: Int) { place &-= Int64(truncatingIfNeeded: frames) }

    /// Gives the sound another place with the next request, because what it goes through begins anew.
    @_noLocks
    mutating func restart() {
        if isRunning {
            cutAll()
            isRestarting = true
            idleCycle = 0
        }
        isRunning = false
        isBegun = false
        forgetOffsets()
    }

    /// Gives the sound a place, so that the fill is what it should be.
    @_noLocks
    private mutating func start(_ block: Int, _ progress: StreamProgress) {
        if progress.sampleRate != sampleRate {
            sampleRate = progress.sampleRate
            fadeLength = sampleRate &* fadeMicroseconds / 1_000_000
        }
        heldFrames = 0
        forgetOffsets()
        let target = pacing.begin(block: block, cycle: progress.frameCount)
        place = progress.arrivalEnd &- Int64(truncatingIfNeeded: target)
        if isRunning { cutAll() }
        isRunning = true
        isRestarting = false
    }

    @_noLocks
    private func forgetOffsets() {
        for lane in 0..<laneCount { offsets[lane] = 0 }
    }

    @_noLocks
    private mutating func stop(_ progress: StreamProgress) {
        isRunning = false
        isRestarting = false
        idleCycle = progress.cycle
        heldFrames = 0
        if progress.cycle > 0 { idleTime.begin(progress) }
    }

    @_noLocks
    private mutating func skip(_ frames: Int) {
        let held = min(heldFrames, frames)
        heldFrames &-= held
        place &+= Int64(truncatingIfNeeded: frames &- held)
        if frames > held { cutAll() }
    }

    @_noLocks
    private func cutAll() {
        for lane in 0..<laneCount { lanes[lane].cut() }
    }

    /// A piece without frames, at the place of the lane's next one.
    @_noLocks
    func nextPiece(ofLane lane: Int) -> ReaderPiece { ReaderPiece(at: nextPlace(ofLane: lane)) }

    /// The next frames of a lane, as many as lie together. ``release(_:lane:)`` them before the next ones.
    ///
    /// - Parameters:
    ///   - frameCount: at most; 1 or more.
    ///   - piece: the request that they belong to.
    @_noLocks
    mutating func next(_ frameCount: Int, lane: Int, _ piece: inout ReaderPiece) -> ReaderRun {
        let offset = offsets[lane]
        let run: ReaderRun
        // At the interval's beginning, for all lanes alike.
        let held = heldFrames &- offset
        if held > 0 {
            run = rest(min(held, frameCount), lane)
            piece.lateFrames &+= run.frameCount
        } else if isRunning {
            run = runningNext(frameCount, at: place &- Int64(truncatingIfNeeded: held), lane, &piece)
        } else {
            run = rest(frameCount, lane)
        }
        offsets[lane] = offset &+ run.frameCount
        return run
    }

    @_noLocks
    private mutating func runningNext(
        _ frameCount: Int, at next: Int64, _ lane: Int, _ piece: inout ReaderPiece
    ) -> ReaderRun {
        guard
            lanes[lane].findOldest(from: next, sampleRate: sampleRate, &statistics)
        else {
            let run = rest(frameCount, lane)
            countLate(run.frameCount, at: next, &piece)
            return run
        }
        let source = lanes[lane].source
        let gap = source.value.oldest.arrival &- next
        if gap > 0 { return rest(Int(truncatingIfNeeded: min(gap, Int64(truncatingIfNeeded: frameCount))), lane) }
        if !piece.hasSound {
            piece.hasSound = true
            piece.first = source.value.oldestMoment
        }
        statistics.discardedFrames &+= UInt64(truncatingIfNeeded: source.value.oldest.droppedFrames)
        statistics.missedFrames &+= UInt64(truncatingIfNeeded: source.value.oldest.missedFrames)
        let (count, channelCount) = (min(source.value.oldest.frameCount, frameCount), source.value.oldest.channelCount)
        if let run = lanes.cell(lane).value.run(channelCount, count, fadeLength: fadeLength) {
            statistics.givenFrames &+= UInt64(truncatingIfNeeded: run.frameCount)
            return run
        }
        let faded = min(count, Self.longestPiece)
        lanes[lane].take(channelCount, faded, into: rows, fadeLength: fadeLength)
        statistics.givenFrames &+= UInt64(truncatingIfNeeded: faded)
        return unsafe ReaderRun(rowTable, frameCount: faded)
    }

    /// Silence in the reader's rows.
    @_noLocks
    private func rest(_ frameCount: Int, _ lane: Int) -> ReaderRun {
        let count = min(frameCount, Self.longestPiece)
        lanes[lane].rest(count, into: rows, fadeLength: fadeLength)
        return unsafe ReaderRun(rowTable, frameCount: count)
    }

    /// Counts silence for which nothing has come. What should have come is late.
    @_noLocks
    private mutating func countLate(_ frameCount: Int, at next: Int64, _ piece: inout ReaderPiece) {
        guard hasBeenLinked(since: newest.value.connectionEpoch) else { return }
        // Up to there everything came that there is.
        let known = max(min(newest.value.arrivalEnd &- next, Int64(truncatingIfNeeded: frameCount)), 0)
        piece.lateFrames &+= frameCount &- Int(truncatingIfNeeded: known)
    }

    /// Frees the memory of frames that were used.
    @_noLocks
    func release(_ run: ReaderRun, lane: Int) {
        if run.isInRing { lanes[lane].remove(run.frameCount) }
    }

    /// Takes the late frames of a request into the count.
    @_noLocks
    mutating func count(_ piece: ReaderPiece) {
        statistics.lateFrames &+= UInt64(truncatingIfNeeded: piece.lateFrames)
    }
}
