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
    private var stamps: EventQueue<WriterStamp>.Reader
    let shared: Cell<MultiStreamShared>
    private let isReference: Bool
    private let sampleRate: Int
    private let outputRate: Int
    /// The reference's times.
    private var line: DelayLockedLoop
    /// Those of other inputs, and of the timeline.
    private var matcher: ClockMatcher
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
    /// Whether it has to be placed anew.
    private var isLoose = true
    private var hasTime = false
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

    /// The time after which an input that gives nothing is not waited for, in nanoseconds.
    private static var idleTime: UInt64 { @_noLocks get { 1_000_000_000 } }

    init(
        ring: Cell<WriterRing>, stamps: consuming EventQueue<WriterStamp>.Reader, shared: Cell<MultiStreamShared>,
        channelCount: Int, sampleRate: Int, outputRate: Int, isReference: Bool, fades: StreamFades, pool: BlockPool,
        rows: Rows, planes: Planes
    ) {
        self.ring = ring
        self.stamps = stamps
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
        line = DelayLockedLoop(nominalRate: Double(sampleRate))
        matcher = ClockMatcher(
            .reading, graphRate: Double(sampleRate), appRate: Double(outputRate), target: 0)
        converter = FormatConverter.ToClient(
            FormatConverter.Settings(
                layout: SampleLayout(sample: .float32, isInterleaved: false, channelCount: channelCount),
                graphChannelCount: channelCount, graphRate: Double(sampleRate), clientRate: Double(outputRate),
                isAdjustable: !isReference))
    }

    // MARK: Times

    /// Takes note of what was written since, and of its times.
    ///
    /// - Parameter now: CLOCK_MONOTONIC, in nanoseconds.
    @_noLocks
    mutating func observe(at now: UInt64) {
        let isIdle = shared.value.isIdle
        if !isActive { matcher.reset(keepingRate: true) }
        while let stamp = stamps.tryReceive() {
            let position = Int64(truncatingIfNeeded: stamp.frame)
            if !isReference {
                matcher.noteGraph(position: position, nanoseconds: stamp.nanoseconds)
            } else if line.noteIsNew(position: position, nanoseconds: stamp.nanoseconds) {
                isLoose = true
            }
            hasTime = true
        }
        let end = ring.value.readPosition &+ ring.value.readableFrames
        if end != seenEnd {
            seenEnd = end
            seenTime = now
        }
        leaveOut()
        let wasActive = isActive
        isWaitedFor = !isIdle && now &- seenTime < Self.idleTime
        // What was written before is still read.
        isActive = hasTime && (isWaitedFor || ring.value.readableFrames > 0)
        if isActive && !wasActive {
            isLoose = true
        }
    }

    /// The time of the next frame; `nil` before the first one.
    var nextTime: UInt64? {
        @_noLocks get {
            guard hasTime else { return nil }
            return isReference ? line.time(of: nextPosition) : matcher.graphTime(of: nextPosition)
        }
    }

    /// Of the reference: the time of a position of the timeline, and its clock's deviation; `nil` while it is not in its place.
    @_noLocks
    func time(of position: Int64) -> (nanoseconds: UInt64, slope: Double)? {
        guard isReference, isActive, !isLoose else { return nil }
        return (line.time(of: position &+ offset), line.slope)
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
            guard isLoose else { return }
            let distance = line.frames(from: next, to: time)
            if abs(distance) < Double(sampleRate) {
                move(by: Int(distance + (distance < 0 ? -0.5 : 0.5)))
            } else {
                // The timeline follows it.
                (heldFrames, owedFrames) = (0, 0)
                fades.cut()
            }
            isLoose = false
            offset = nextPosition &- position
            return
        }
        let exact = Double(next) - converter.lead
        var whole = Int64(exact)
        if Double(whole) > exact { whole &-= 1 }
        let frames = matcher.noteApp(
            position: position, ringPosition: whole, fraction: exact - Double(whole), nanoseconds: time)
        move(by: frames)
        converter.adjustRate(by: Double(sampleRate) / (matcher.ratio * Double(outputRate)))
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
            let input = heldFrames &+ ring.value.readableFrames
            if isReference { return input }
            // Two frames less, because the ratio may change on the way.
            let ratio = Double(outputRate) / Double(sampleRate)
            var count = Int((Double(input - converter.inputFramesNeeded(forOutput: 1).most)) * ratio) - 2
            while count > 0, converter.inputFramesNeeded(forOutput: count &+ 2).most > input { count &-= 1 }
            // Silence follows on the rest.
            if count <= 0, !isWaitedFor { return max(Int(Double(input) * ratio), 1) }
            return max(count, 0)
        }
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
