// SPDX-License-Identifier: MIT
import AudioConversion
import AudioKernels
import RealtimeKit

/// The output's side of one input of a ``MultiStream``: puts its frames in their places on the output's timeline.
///
/// The reference is moved by whole frames, and only when its time jumps. All others go through a resampler that a ``ClockMatcher``
/// steers: their delay against the timeline is 0.
///
/// - Thread: the output's.
@safe struct MultiStreamLane: ~Copyable {
    private let ring: Cell<WriterRing>
    private var times: MultiStreamTimes
    let shared: Cell<MultiStreamShared>
    private let isReference: Bool
    private let sampleRate: Int
    private let outputRate: Int
    private var converter: FormatConverter.ToClient
    private let fades: StreamFades
    private let fadeLength: Int
    private let channelCount: Int
    /// What goes into the resampler: a block for each channel.
    private let pool: BlockPool
    private let rows: Rows
    /// The results: an address for each channel.
    private let planes: Planes
    var gains = LaneGains()

    /// Whether it has frames, or will have some.
    private(set) var isActive = false
    /// Whether it will have some.
    private var isWaitedFor = false
    /// The end of what was written, and when that was noticed.
    private var seenEnd = 0
    private var seenTime: UInt64 = 0
    /// Number of frames of silence before the next frame, at the input's rate.
    private var heldFrames = 0
    /// Number of frames to leave out that have not come yet.
    private var owedFrames = 0
    /// Of the reference: its position less the timeline's.
    private var offset: Int64 = 0
    /// Number of frames of output that were given in this interval.
    private(set) var givenFrames = 0

    /// The time after which an input that gives nothing is not waited for, in nanoseconds: a second after its next block is due.
    private var idleTime: UInt64 {
        @_noLocks get { 1_000_000_000 &+ WriterStamp.duration(shared.value.longestBlock, sampleRate) }
    }

    init(
        ring: Cell<WriterRing>, stamps: consuming EventQueue<WriterStamp>.Reader, shared: Cell<MultiStreamShared>,
        channelCount: Int, sampleRate: Int, outputRate: Int, isReference: Bool, longestDistance: Double,
        fades: StreamFades, pool: BlockPool, rows: Rows, planes: Planes
    ) {
        self.ring = ring
        times = MultiStreamTimes(
            stamps, sampleRate: sampleRate, outputRate: outputRate, isReference: isReference,
            longestDistance: longestDistance)
        self.shared = shared
        self.channelCount = channelCount
        self.sampleRate = sampleRate
        self.outputRate = outputRate
        self.isReference = isReference
        self.fades = fades
        fadeLength = max(sampleRate / 200, 1)
        self.pool = pool
        unsafe self.rows = unsafe rows
        unsafe self.planes = unsafe planes
        // The first sound begins as it is.
        fades.beginWhole(fadeLength)
        converter = FormatConverter.ToClient(
            FormatConverter.Settings(
                layout: SampleLayout(sample: .float32, isInterleaved: false, channelCount: channelCount),
                graphChannelCount: channelCount, graphRate: Double(sampleRate), clientRate: Double(outputRate),
                isAdjustable: !isReference))
    }

    /// Whether it was read in this interval, with or without frames.
    var isAsked = false

    // MARK: Times

    /// The position of the timeline at which another input than the reference was placed last.
    private var placed = Int64.min

    /// Takes note of what was written since, and of its times.
    ///
    /// - Parameter now: CLOCK_MONOTONIC, in nanoseconds.
    @_noLocks
    mutating func observe(at now: UInt64) {
        let isIdle = shared.value.isIdle
        if !isActive { times.restart() }
        let end = ring.value.readPosition &+ ring.value.readableFrames
        if end != seenEnd {
            seenEnd = end
            seenTime = now
        }
        isWaitedFor = !isIdle && now &- seenTime < idleTime
        while times.take(isWaitedFor: isWaitedFor), giveableFrames <= 0 {
            times.passJump()
            placed = .min
        }
        leaveOut()
        let wasActive = isActive
        // What was written before is still read.
        isActive = times.isKnown && (isWaitedFor || ring.value.readableFrames > 0)
        if isActive && !wasActive {
            times.isLoose = true
            placed = .min
        }
    }

    /// Whether the frames after those that are available have another time.
    var isBeforeJump: Bool { @_noLocks get { times.jump.isPending } }

    /// The time of the next frame; `nil` before the first one.
    var nextTime: UInt64? { @_noLocks get { times.time(of: nextPosition) } }

    /// Of the reference: the time of a position of the timeline, and its clock's deviation; `nil` while it is not in its place.
    @_noLocks
    func time(of position: Int64) -> (nanoseconds: UInt64, slope: Double)? {
        guard isReference, isActive, !times.isLoose else { return nil }
        return (times.line.time(of: position &+ offset), times.line.slope)
    }

    /// Puts the next frame in its place.
    ///
    /// - Parameters:
    ///   - position: of the timeline's next frame.
    ///   - time: of that frame.
    @_noLocks
    mutating func place(at position: Int64, _ time: UInt64) {
        guard isActive else { return }
        let next = nextPosition
        if isReference {
            guard times.isLoose else { return }
            let distance = times.line.frames(from: next, to: time)
            if abs(distance) < MultiStreamTimes.longestMove * Double(sampleRate) {
                move(by: Int(distance + (distance < 0 ? -0.5 : 0.5)))
            } else {
                // The timeline follows it.
                (heldFrames, owedFrames) = (0, 0)
                fades.cut()
            }
            times.isLoose = false
            offset = nextPosition &- position
            return
        }
        // Asked again for the same frame, the loop would be told the same once more.
        guard position != placed else { return }
        placed = position
        let exact = Double(next) - converter.lead
        var whole = Int64(exact)
        if Double(whole) > exact { whole &-= 1 }
        let frames = times.matcher.noteApp(
            position: position, ringPosition: whole, fraction: exact - Double(whole), nanoseconds: time)
        move(by: frames)
        converter.adjustRate(by: Double(sampleRate) / (times.matcher.ratio * Double(outputRate)))
    }

    /// Leaves frames out, or waits for as many, a second at most. What is missing is done with the next interval.
    @_noLocks
    private mutating func move(by frames: Int) {
        guard frames != 0 else { return }
        let held = heldFrames
        if frames < 0 {
            let owed = min(owedFrames, 0 &- frames)
            owedFrames &-= owed
            heldFrames &+= min(0 &- frames &- owed, sampleRate)
        } else {
            heldFrames &-= min(held, frames)
            owedFrames &+= frames &- min(held, frames)
            leaveOut()
        }
        fades.cut()
    }

    @_noLocks
    private mutating func leaveOut() {
        let count = min(owedFrames, ring.value.readableFrames)
        ring.value.drop(count)
        owedFrames &-= count
    }

    /// The input's position that is given next.
    private var nextPosition: Int64 {
        @_noLocks get { Int64(truncatingIfNeeded: ring.value.readPosition &+ owedFrames &- heldFrames) }
    }

    // MARK: Sound

    /// Number of frames of output that it has; `.max` if it has none, and is not waited for.
    var availableFrames: Int {
        @_noLocks get {
            guard isActive else { return .max }
            let count = giveableFrames
            // Silence follows on the rest.
            if count <= 0, !isReference, !isWaitedFor {
                let input = heldFrames &+ ring.value.readableFrames
                return max(Int(Double(input) * Double(outputRate) / Double(sampleRate)), 1)
            }
            return max(count, 0)
        }
    }

    /// The same, and those behind a jump of which it is known what it is. The silence of a pause comes on top.
    var framesAhead: Int {
        @_noLocks get {
            guard isActive, times.jump.isPending, times.jump.isDecided || !isWaitedFor, !times.isJumpLong else {
                return availableFrames
            }
            var input = heldFrames &+ ring.value.readableFrames
            if let end = times.nextJump { input = min(input, Int(truncatingIfNeeded: end &- nextPosition)) }
            return max(framesOfOutput(from: input), availableFrames)
        }
    }

    /// Number of frames of output that can be made of the frames up to the next jump.
    private var giveableFrames: Int {
        @_noLocks get {
            var input = heldFrames &+ ring.value.readableFrames
            if times.jump.isPending {
                input = min(
                    input, Int(truncatingIfNeeded: Int64(truncatingIfNeeded: times.jump.first.frame) &- nextPosition))
            }
            return framesOfOutput(from: input)
        }
    }

    @_noLocks
    private func framesOfOutput(from input: Int) -> Int {
        if isReference { return input }
        // Two frames less, because the ratio may change on the way.
        let ratio = Double(outputRate) / Double(sampleRate)
        var count = Int((Double(input - converter.inputFramesNeeded(forOutput: 1).most)) * ratio) - 2
        while count > 0, converter.inputFramesNeeded(forOutput: count &+ 2).most > input { count &-= 1 }
        return count
    }

    /// Gives the next frames to the results' rows.
    ///
    /// - Parameter frameCount: up to the length of the rows.
    @_noLocks
    mutating func read(_ frameCount: Int) {
        givenFrames &+= frameCount
        if isReference {
            feed(frameCount)
            for channel in 0..<channelCount {
                let result = unsafe SampleBlock(
                    planes[channel].assumingMemoryBound(to: Float.self), frameCount: frameCount)
                result.copy(from: pool.block(channel, frameCount))
            }
            return
        }
        var made = 0
        var least = 0
        while made < frameCount {
            let wanted = converter.inputFramesNeeded(forOutput: frameCount &- made).least
            let input = min(max(wanted, least), AudioCycle.maximumFrameCount)
            least = 1
            if input > 0 { feed(input) }
            let (_, produced) = unsafe converter.convert(
                rows, frames: input, into: planes, at: made, capacity: frameCount &- made)
            made &+= produced
        }
    }

    /// Puts frames into the rows: silence that is due, what is there, and silence.
    @_noLocks
    private mutating func feed(_ frameCount: Int) {
        var place = min(heldFrames, frameCount)
        heldFrames &-= place
        rest(from: 0, place)
        let count = min(ring.value.readableFrames, frameCount &- place)
        if count > 0 {
            for channel in 0..<channelCount {
                let part = pool.block(channel, frameCount).part(from: place, count)
                let sound = fades.block(forSoundAt: part, channel: channel, fadeLength)
                ring.value.copy(channel: channel, into: sound)
                fades.pass(sound, channel: channel, to: part, fadeLength)
            }
            ring.value.discard(count)
            place &+= count
        }
        rest(from: place, frameCount &- place)
    }

    @_noLocks
    private func rest(from first: Int, _ count: Int) {
        guard count > 0 else { return }
        for channel in 0..<channelCount {
            fades.rest(channel: channel, at: pool.block(channel, first &+ count).part(from: first, count), fadeLength)
        }
    }

    @_noLocks
    mutating func endInterval() { givenFrames = 0 }
}
