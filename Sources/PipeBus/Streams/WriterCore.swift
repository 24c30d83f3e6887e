// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The audio thread's side of a ``Writer``: takes frames from a ring, and gives silence where there are none. Reached through a plain
/// address, owned by ``WriterMemory``.
///
/// Without times of its frames it plays all of them, one after the other. At first and after an underrun it waits until as many are there
/// as a block and a cycle may need, or for as long as these last, and of a long block 20 ms. With times it gives each frame when it has the age that the port
/// publishes, and goes on without a seam as long as that is right to 5 ms.
///
/// - Thread: audio, but for what says otherwise.
struct WriterCore: ~Copyable {
    let ring: Cell<WriterRing>
    /// The sender.
    private let port: Cell<PortCore>?
    private let fades: StreamFades
    private let channelCount: Int
    private let stamps: Cell<WriterStamps>
    private var played: TripleBuffer<PlayedMoment>.Writer
    /// The age of the sound when it leaves, in frames; negative where nothing has a time.
    private let liveLatency: Int
    /// Whether sound is being given.
    private var isPlaying = false
    /// Whether any was.
    private var hasPlayed = false
    /// Number of frames for which sound has waited to begin.
    private var waitedFrames = 0
    /// Number of frames of silence since the sound ran out.
    private var silentFrames: UInt64 = 0
    /// Whether the silence is one of a gap in the cycles: none of the app's.
    private var isAfterGap = false
    /// The position of the next cycle if none is missed.
    private var nextPosition: UInt64 = 0
    private var sampleRate = 0
    private var fadeLength = 0

    @_noLocks
    init(
        ring: Cell<WriterRing>, port: Cell<PortCore>?, stamps: Cell<WriterStamps>,
        played: TripleBuffer<PlayedMoment>.Writer, fades: StreamFades, channelCount: Int, liveLatency: Int?
    ) {
        self.ring = ring
        self.port = port
        self.stamps = stamps
        self.played = played
        self.fades = fades
        self.channelCount = channelCount
        self.liveLatency = liveLatency ?? -1
    }

    /// The time by which a frame may be early or late before the sound is moved, in nanoseconds.
    private static var tolerance: Int64 { @_noLocks get { 5_000_000 } }
    /// The longest time for which sound waits because its time is said to be in the future, in nanoseconds.
    private static var longestWait: Int64 { @_noLocks get { 1_000_000_000 } }
    private static var fadesPerSecond: Int { @_noLocks get { 200 } }
    /// A write that is longer than 20 ms is mostly a sound of its own, or one of an app that waits for room.
    private static var longestBlocksPerSecond: Int { @_noLocks get { 50 } }
    /// The largest number of parts of a cycle, each with times of its own.
    private static var mostParts: Int { @_noLocks get { 64 } }

    /// Lets the sound of the port's writer before decay. The audio thread has neither of both.
    ///
    /// - Thread: control.
    @_noLocks
    mutating func takeOver(from other: Cell<WriterCore>) {
        fades.takeOver(from: other.value.fades)
        nextPosition = other.value.nextPosition
    }

    /// Fills a cycle.
    @_noLocks
    mutating func run(_ cycle: AudioCycle, _ output: inout OutputChannels) {
        if cycle.sampleRate != sampleRate {
            sampleRate = cycle.sampleRate
            fadeLength = max(sampleRate / Self.fadesPerSecond, 1)
        }
        let isNext = cycle.position == nextPosition
        nextPosition = cycle.position &+ UInt64(truncatingIfNeeded: cycle.frameCount)
        if liveLatency < 0 {
            // The sound of the writer before is long over.
            if !isNext, !hasPlayed { fades.forget() }
            let first = frameToBeginWith(cycle.frameCount)
            rest(first, from: 0, &output)
            _ = give(from: first, upTo: writtenEnd, cycle, &output)
            return
        }
        if !isNext { forget() }
        var place = 0
        // Times that jump with every frame cost no more than this.
        for part in 1...Self.mostParts where place < cycle.frameCount {
            // Before the times are looked at: those of frames that come meanwhile may not be there yet.
            let end = writtenEnd
            let first = dueFrame(from: place, cycle)
            rest(first &- place, from: place, &output)
            place = give(from: first, upTo: end, cycle, &output, upToJump: part < Self.mostParts)
        }
    }

    /// The position after the last frame that is there.
    private var writtenEnd: Int {
        @_noLocks get { ring.value.readPosition &+ ring.value.readableFrames }
    }

    /// Gives frames up to a cycle's end, or to one whose time is not that of the one before; silence where there are none.
    ///
    /// - Parameter end: the ring's position up to which it gives them.
    /// - Returns: where the rest of the cycle begins.
    @_noLocks
    private mutating func give(
        from first: Int, upTo end: Int, _ cycle: AudioCycle, _ output: inout OutputChannels, upToJump: Bool = false
    ) -> Int {
        let readable = min(max(end &- ring.value.readPosition, 0), cycle.frameCount &- first)
        var count = readable
        let isEnough = readable == cycle.frameCount &- first
        if readable > 0 {
            if upToJump {
                count = stamps.value.steadyFrames(
                    from: ring.value.readPosition, count: readable, sampleRate: cycle.sampleRate,
                    tolerance: Self.tolerance)
            }
            if !isPlaying { begin() }
            publish(first, cycle, goesOn: isEnough)
            play(count, from: first, &output)
            if count < readable { return first &+ count }
        } else if isPlaying, !isEnough, liveLatency < 0 {
            publish(first, cycle, goesOn: false)
        }
        let missing = cycle.frameCount &- first &- count
        if missing > 0 {
            if isPlaying { ring.value.noteRunOut() }
            isPlaying = false
            rest(missing, from: first &+ count, &output)
        }
        return cycle.frameCount
    }

    /// The first frame of a cycle in which sound is given, where nothing has a time: 0, or the cycle's length.
    @_noLocks
    private mutating func frameToBeginWith(_ frames: Int) -> Int {
        let readable = ring.value.readableFrames
        if isPlaying || ring.value.isEnded || readable == 0 { return 0 }
        let needed = ring.value.needed(cycle: frames, longestBlock: sampleRate / Self.longestBlocksPerSecond)
        if readable >= needed.frames || waitedFrames >= needed.time { return 0 }
        waitedFrames &+= frames
        return frames
    }

    /// The first frame from a place on in which sound is given: the one in which it has its age. Sound that is too old is dropped.
    @_noLocks
    private mutating func dueFrame(from place: Int, _ cycle: AudioCycle) -> Int {
        for part in 1...Self.mostParts {
            let early = framesEarly(at: place, cycle, goesOn: isPlaying && part == 1)
            if early > 0 { isPlaying = false }
            if early >= 0 { return min(place &+ early, cycle.frameCount) }
            fades.cut()
            var old = min(0 &- early, ring.value.readableFrames)
            // Up to a jump: sound from after a pause may be in time.
            if part < Self.mostParts {
                old = stamps.value.steadyFrames(
                    from: ring.value.readPosition, count: old, sampleRate: cycle.sampleRate, tolerance: Self.tolerance)
            }
            ring.value.drop(old)
            if old == 0 &- early || ring.value.readableFrames == 0 { return place }
        }
        return place
    }

    /// By how much a place comes before the next frame has its age, in frames.
    ///
    /// - Parameter goesOn: whether the frame follows on the last one that was given. Then a small difference is none.
    @_noLocks
    private mutating func framesEarly(at place: Int, _ cycle: AudioCycle, goesOn: Bool) -> Int {
        let rate = Int64(truncatingIfNeeded: max(cycle.sampleRate, 1))
        guard let made = stamps.value.time(ofFrame: ring.value.readPosition, sampleRate: cycle.sampleRate) else {
            return 0
        }
        let age = (Int64(truncatingIfNeeded: liveLatency) &- Int64(truncatingIfNeeded: place)) &* 1_000_000_000 / rate
        let early = Int64(bitPattern: made) &+ age &- Int64(bitPattern: cycle.startTime.nanoseconds)
        // No sound is made long after it is written.
        let isExact = stamps.value.isExact(ring.value.readPosition)
        if goesOn && !isExact && early.magnitude < Self.tolerance.magnitude
            || early > max(age, 0) &+ Self.longestWait
        {
            return 0
        }
        let distance = max(min(early, 1 << 40), -1 << 40)
        return Int(
            truncatingIfNeeded: (distance &* rate &+ (distance < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000)
    }

    /// The port was disconnected, or missed cycles: the last sound is long over, and live sound has to come to its age again.
    @_noLocks
    private mutating func forget() {
        isPlaying = false
        isAfterGap = true
        fades.forget()
    }

    @_noLocks
    private mutating func begin() {
        isPlaying = true
        isAfterGap = false
        if hasPlayed {
            if silentFrames > 0 { ring.value.countUnderrun(silentFrames) }
        } else {
            // The first sound begins as it is, also while that of the writer before decays.
            fades.beginWholeBesideDecay(fadeLength)
        }
        hasPlayed = true
        silentFrames = 0
        waitedFrames = 0
    }

    /// Tells the writer's thread which frame the cycle's start is. It does so before the frames are taken: who sees the room sees this, too.
    ///
    /// - Parameter goesOn: whether there is sound up to the cycle's end.
    @_noLocks
    private mutating func publish(_ first: Int, _ cycle: AudioCycle, goesOn: Bool) {
        var moment = PlayedMoment()
        moment.position = ring.value.readPosition &- first
        moment.gapFrames = stamps.value.gapFrames
        moment.nanoseconds = cycle.startTime.nanoseconds
        moment.graphPosition = Int64(truncatingIfNeeded: cycle.position)
        moment.sampleRate = cycle.sampleRate
        if let port { moment.connectionEpoch = port.value.tracker.connectionEpoch }
        moment.goesOn = goesOn
        played.value = moment
        played.publish()
    }

    @_noLocks
    private mutating func play(_ count: Int, from first: Int, _ output: inout OutputChannels) {
        for channel in 0..<channelCount {
            let place = output.part(channel, from: first, count)
            let sound = fades.block(forSoundAt: place, channel: channel, fadeLength)
            ring.value.copy(channel: channel, into: sound)
            fades.pass(sound, channel: channel, to: place, fadeLength)
        }
        ring.value.discard(count)
    }

    @_noLocks
    private mutating func rest(_ count: Int, from first: Int, _ output: inout OutputChannels) {
        guard count > 0 else { return }
        if !isAfterGap { silentFrames &+= UInt64(truncatingIfNeeded: count) }
        for channel in 0..<channelCount {
            fades.rest(channel: channel, at: output.part(channel, from: first, count), fadeLength)
        }
    }
}
