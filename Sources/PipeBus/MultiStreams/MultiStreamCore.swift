// SPDX-License-Identifier: MIT
import AudioConversion
import AudioKernels
import RealtimeKit

/// The state of a ``MultiStreamOutput``: the timeline, and intervals of it that are read of all inputs. Reached through a plain
/// address, owned by ``MultiStreamMemory``.
///
/// The timeline goes on at the reference's pace, also while that is idle.
///
/// - Thread: the output's.
/// - Realtime: safe.
@safe struct MultiStreamCore: ~Copyable {
    private let lanes: Cells<MultiStreamLane>
    private let laneCount: Int
    private let channelCount: Int
    private let sampleRate: Int
    /// For each channel the results of all lanes, one lane after the other.
    private let results: Cells<Float>
    private let resultRows: Rows
    private let mixInputs: MixInputs
    /// A block for each channel of the mix.
    private let mix: BlockPool
    private let mixRows: Rows

    /// Number of frames that were read, and the time of the next one.
    private var position: Int64 = 0
    private var time: UInt64 = 0
    private var slope = 0.0
    private var hasTime = false
    /// Number of frames that all inputs have for this interval; 0 before it begins.
    private var available = 0
    /// Whether a read has begun an interval.
    private var isBegun = false
    /// Whether it ends before a jump of an input's time, and whether its first frame goes on from the one before.
    private(set) var endsAtJump = false
    private(set) var isContinuous = false

    /// The longest piece that is read at once, in frames.
    static var longestPiece: Int { @_noLocks get { 2048 } }

    @_noLocks
    init(
        lanes: Cells<MultiStreamLane>, laneCount: Int, channelCount: Int, sampleRate: Int, results: Cells<Float>,
        resultRows: Rows, mixInputs: MixInputs, mix: BlockPool, mixRows: Rows
    ) {
        self.lanes = lanes
        self.laneCount = laneCount
        self.channelCount = channelCount
        self.sampleRate = sampleRate
        self.results = results
        unsafe self.resultRows = unsafe resultRows
        self.mixInputs = mixInputs
        self.mix = mix
        unsafe self.mixRows = unsafe mixRows
    }

    /// The time of the interval's first frame: CLOCK_MONOTONIC, in nanoseconds; 0 before the first sound.
    var startTime: UInt64 { @_noLocks get { hasTime ? time : 0 } }

    /// The time of a lane's next frame.
    @_noLocks
    func nextTime(ofLane lane: Int) -> UInt64 {
        guard hasTime else { return 0 }
        return time &+ UInt64(Double(lanes[lane].givenFrames) / Double(sampleRate) * (1 + slope) * 1e9)
    }

    /// Number of frames that all inputs have, also behind a pause.
    @_noLocks
    mutating func framesAhead(at now: MonotonicTime) -> Int {
        if isBegun, available > 0 { return available }
        isBegun = false
        let count = look(at: now)
        guard count > 0, endsAtJump else { return count }
        var ahead = Int.max
        for lane in 0..<laneCount { ahead = min(ahead, lanes[lane].framesAhead) }
        return max(count, ahead)
    }

    /// Begins an interval, unless it has begun. It is as long for all lanes, whatever comes meanwhile.
    ///
    /// - Parameter lane: the lane that is read; `nil` for all. An interval without a frame is over when a lane is read again.
    /// - Returns: the number of frames that all inputs have for it.
    @_noLocks
    mutating func begin(at now: MonotonicTime, lane: Int? = nil) -> Int {
        var isAgain = true
        if let lane { isAgain = lanes[lane].isAsked }
        if !isBegun || available <= 0 && isAgain {
            for lane in 0..<laneCount { lanes[lane].isAsked = false }
            isBegun = true
            _ = look(at: now)
        }
        if let lane { lanes[lane].isAsked = true }
        return available
    }

    /// - Returns: the number of frames that all inputs have.
    @_noLocks
    private mutating func look(at now: MonotonicTime) -> Int {
        var hasActive = false
        for lane in 0..<laneCount {
            lanes[lane].observe(at: now.nanoseconds)
            if lanes[lane].isActive { hasActive = true }
        }
        guard hasActive else {
            // What comes next has another time.
            hasTime = false
            available = 0
            return 0
        }
        let (hadTime, expected) = (hasTime, time)
        findTime()
        lanes[0].place(at: position, time)
        // The reference may have jumped too far to be waited for.
        findTime()
        isContinuous = hadTime && Int64(bitPattern: time &- expected).magnitude < 1_000_000
        for lane in 1..<max(laneCount, 1) { lanes[lane].place(at: position, time) }
        var count = Int.max
        endsAtJump = false
        for lane in 0..<laneCount {
            count = min(count, lanes[lane].availableFrames)
            if lanes[lane].isBeforeJump { endsAtJump = true }
        }
        available = count
        return count
    }

    /// The time of the next frame: the reference's, or as it goes on from before, or of the first sound.
    @_noLocks
    private mutating func findTime() {
        if let reference = lanes[0].time(of: position) {
            (time, slope) = (reference.nanoseconds, reference.slope)
            hasTime = true
        } else if !hasTime {
            for lane in 0..<laneCount where lanes[lane].isActive {
                guard let next = lanes[lane].nextTime else { continue }
                time = hasTime ? max(time, next) : next
                hasTime = true
            }
        }
    }

    /// Reads frames of a lane into its results.
    ///
    /// - Parameter frameCount: 1…``longestPiece``.
    @_noLocks
    func read(_ frameCount: Int, lane: Int) { lanes[lane].read(frameCount) }

    /// Number of frames of this interval that a lane has not given yet.
    @_noLocks
    func rest(ofLane lane: Int) -> Int { available &- lanes[lane].givenFrames }

    /// Stores what was read of a lane last frame by frame.
    @_noLocks
    func storeResult(_ frameCount: Int, lane: Int, into memory: UnsafeMutablePointer<Float>) {
        unsafe interleave(
            resultRows + lane &* channelCount, channelCount: channelCount, frameCount: frameCount, into: memory)
    }

    /// A channel of what was read of a lane last.
    @_noLocks
    private func result(_ frameCount: Int, lane: Int, channel: Int) -> SampleBlock {
        let index = (lane &* channelCount &+ channel) &* Self.longestPiece
        return unsafe SampleBlock(results.pointer(at: index), frameCount: frameCount)
    }

    /// Reads frames of all lanes into the mix.
    @_noLocks
    mutating func readMix(_ frameCount: Int) {
        let rampLength = sampleRate / 50
        for lane in 0..<laneCount {
            lanes[lane].read(frameCount)
            lanes[lane].gains.left.ramp(to: lanes[lane].shared.value.left, length: rampLength)
            lanes[lane].gains.right.ramp(to: lanes[lane].shared.value.right, length: rampLength)
        }
        for channel in 0..<channelCount {
            for lane in 0..<laneCount {
                let gain = channelCount == 2 && channel == 1 ? lanes[lane].gains.right : lanes[lane].gains.left
                mixInputs.set(lane, to: result(frameCount, lane: lane, channel: channel), gain)
            }
            mixInputs.mix(0, count: laneCount, into: mixed(frameCount, channel: channel))
        }
        for lane in 0..<laneCount {
            lanes[lane].gains.left.advance(by: frameCount)
            lanes[lane].gains.right.advance(by: frameCount)
        }
    }

    /// Stores the mix that was read last frame by frame.
    @_noLocks
    func storeMix(_ frameCount: Int, into memory: UnsafeMutablePointer<Float>) {
        unsafe interleave(mixRows, channelCount: channelCount, frameCount: frameCount, into: memory)
    }

    /// A channel of the mix.
    @_noLocks
    private func mixed(_ frameCount: Int, channel: Int) -> SampleBlock { mix.block(channel, frameCount) }

    /// The most that was read of a lane in this interval, in frames.
    private var longestGiven: Int {
        @_noLocks get {
            var longest = 0
            for lane in 0..<laneCount { longest = max(longest, lanes[lane].givenFrames) }
            return longest
        }
    }

    /// Ends an interval of which a lane has been read, before the next one of all lanes.
    @_noLocks
    mutating func endBegun() {
        if longestGiven > 0 { endInterval() }
    }

    /// Ends an interval, which is as long as the most that was read of a lane. What was not read of the others is left out.
    @_noLocks
    mutating func endInterval() {
        let longest = longestGiven
        for lane in 0..<laneCount {
            while lanes[lane].givenFrames < longest {
                lanes[lane].read(min(longest &- lanes[lane].givenFrames, Self.longestPiece))
            }
            lanes[lane].endInterval()
        }
        position &+= Int64(truncatingIfNeeded: longest)
        let passed = Double(longest) / Double(sampleRate) * (1 + slope)
        time &+= UInt64(passed * 1e9)
        isBegun = false
        available = 0
    }
}
