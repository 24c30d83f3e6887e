// SPDX-License-Identifier: MIT

/// Decides how far a ``Reader`` stays behind the graph. Pure; all numbers are frames at the graph's rate.
///
/// The *fill* is the number of frames that have come and were not asked for, just before the reader asks for a block. While both
/// sides go at one pace it varies by a cycle, because either side may be first. So it begins at
///
///     max(cycle, block) + cycle
///
/// from where it never falls below a block.
///
/// | when | step |
/// | --- | --- |
/// | the cycle or the block becomes longer | hold: silence is given, and the sound waits |
/// | less than a block has come twice within a second, with cycles in between | hold, by what was missing at most, and 2 ms or half a cycle |
/// | the fill exceeded the target by a cycle or more for a second of the graph | skip, down to the target |
/// | the same for a tenth of a second and four cycles in which the fill fell by less than a cycle, after the app asked for nothing for longer than the target | skip, down to the target |
/// | the fill exceeds the target by half a second more than came while the app asked for nothing | skip, at once |
///
/// An app that reads in bursts pauses too, but comes near the graph at the end of each burst. So does an app that catches up
/// after a pause of any length: what is left out before it has caught up would be silence later.
struct ReaderPacing {
    enum Step: Equatable {
        case none
        /// Give so many frames of silence first, and leave the sound where it is.
        case hold(Int)
        /// Leave out so many frames.
        case skip(Int)

        /// By how much the fill becomes larger.
        var frames: Int {
            @_noLocks get {
                switch self {
                case .none: 0
                case .hold(let frames): frames
                case .skip(let frames): 0 &- frames
                }
            }
        }
    }

    /// The fill that is aimed at.
    private(set) var target = 0
    /// The longest block and the longest cycle of this second and of the last one.
    private var block = LongestOfLate()
    private var cycle = LongestOfLate()
    /// The smallest fill in this second.
    private var smallestFill = Int.max
    /// Number of frames of the graph in this second.
    private var windowFrames = 0
    /// The number of the newest cycle when less than a block had come last.
    private var shortCycle: UInt64 = 0
    /// Number of frames asked for since then; negative if that never was.
    private var framesSinceShort = -1
    /// The most that was missing of a block in this second.
    private var deepest = 0
    /// What was missing of the last interval, of which the step knew a part alone.
    private var missed = 0
    /// The number of the newest cycle at the last step.
    private var lastCycle: UInt64 = 0
    private var afterPause: AfterPause?

    @_noLocks
    init() {}

    /// Begins anew, as when the sound begins.
    ///
    /// - Returns: the fill to begin with.
    @_noLocks
    mutating func begin(block: Int, cycle: Int) -> Int {
        self = ReaderPacing()
        self.block.note(block)
        self.cycle.note(cycle)
        target = needed
        return target
    }

    private var needed: Int { @_noLocks get { Self.target(block: block.longest, cycle: cycle.longest) } }

    /// The fill that is aimed at, with blocks and cycles of such lengths.
    @_noLocks
    static func target(block: Int, cycle: Int) -> Int { max(cycle, block) &+ cycle }

    /// The step before a block is taken.
    ///
    /// - Parameters:
    ///   - fill: may be negative, if more was asked for than came.
    ///   - block: the frames that are asked for, 1 or more.
    ///   - cycle: the length of the newest cycle.
    ///   - cycleNumber: its number.
    ///   - came: number of frames that came since the last step, with those that were missed: of a process that was stopped, one
    ///     cycle may be the end of a long pause.
    ///   - sampleRate: in hertz.
    @_noLocks
    mutating func step(fill: Int, block: Int, cycle: Int, cycleNumber: UInt64, came: Int, sampleRate: Int) -> Step {
        self.block.note(block)
        self.cycle.note(cycle)
        let passed = lastCycle == 0 ? cycle : came
        if lastCycle != 0, passed > target &+ cycle { afterPause = AfterPause(passed) }
        let hasNewCycles = cycleNumber != lastCycle
        lastCycle = cycleNumber
        let missing = max(block &- fill, missed)
        missed = 0
        let needed = needed
        if fill > needed &+ max(sampleRate / 2, 4 &* cycle) &+ pausedFrames {
            return move(by: needed &- fill, to: needed)
        }
        if needed > target { return move(by: needed &- target, to: needed) }
        if missing > 0 {
            let isLate = framesSinceShort >= 0 && framesSinceShort < sampleRate
            let isRepeated = isLate && cycleNumber != shortCycle
            deepest = max(missing, isLate ? deepest : 0)
            shortCycle = cycleNumber
            framesSinceShort = 0
            // As much as was missing at the worst moment: an app that reads in bursts needs more at the beginning of one.
            // And a little more: else each moment that is slightly worse than those before is heard.
            let reserve = min(cycle / 2, sampleRate / 500)
            if isRepeated { return move(by: min(deepest &+ reserve, needed &+ sampleRate / 2 &- fill), to: needed) }
        }
        if framesSinceShort >= 0 { framesSinceShort &+= block }
        if let excess = excessAfterPause(fill, block, cycle, hasNewCycles: hasNewCycles, sampleRate) {
            return move(by: 0 &- excess, to: needed)
        }
        smallestFill = min(smallestFill, fill)
        // A pause alone is no second: the app has not had the time to catch up.
        windowFrames &+= min(passed, sampleRate / 2)
        guard windowFrames >= sampleRate else { return .none }
        let smallest = smallestFill
        beginWindow()
        self.block.endWindow()
        self.cycle.endWindow()
        let now = self.needed
        if smallest >= now &+ cycle { return move(by: now &- smallest, to: now) }
        target = now
        return .none
    }

    /// Takes note of an interval that was longer than the block of its step, when it ends.
    ///
    /// - Parameters:
    ///   - length: of the interval.
    ///   - block: that of the step, which is shorter.
    ///   - fill: at the interval's beginning, after the step.
    @_noLocks
    mutating func note(interval length: Int, block: Int, fill: Int) {
        self.block.note(length)
        // A block that was short is counted already.
        if fill >= block { missed = max(length &- fill, 0) } else { deepest = max(length &- fill, deepest) }
        let rest = length &- block
        if framesSinceShort >= 0 { framesSinceShort &+= rest }
        guard var pause = afterPause else { return }
        pause.frames &+= rest
        afterPause = pause
    }

    /// Number of frames that came while the app asked for nothing, until it is known whether it catches up.
    private var pausedFrames: Int {
        @_noLocks get {
            guard let afterPause else { return 0 }
            return afterPause.pausedFrames
        }
    }

    /// What is left to catch up with some time after the app has paused; `nil` otherwise.
    @_noLocks
    private mutating func excessAfterPause(
        _ fill: Int, _ block: Int, _ cycle: Int, hasNewCycles: Bool, _ sampleRate: Int
    ) -> Int? {
        guard var pause = afterPause else { return nil }
        if fill &+ cycle <= pause.firstFill { pause.beginCount(fill) }
        pause.smallestFill = min(pause.smallestFill, fill)
        pause.frames &+= block
        if hasNewCycles { pause.cycles &+= 1 }
        let isOver = pause.frames >= sampleRate / 10 && pause.cycles >= 4
        afterPause = isOver ? nil : pause
        return isOver && pause.smallestFill >= needed &+ cycle ? pause.smallestFill &- needed : nil
    }

    /// Changes the fill by a number of frames.
    @_noLocks
    private mutating func move(by frames: Int, to target: Int) -> Step {
        self.target = target
        beginWindow()
        framesSinceShort = -1
        afterPause = nil
        return frames > 0 ? .hold(frames) : frames < 0 ? .skip(0 &- frames) : .none
    }

    @_noLocks
    private mutating func beginWindow() {
        smallestFill = .max
        windowFrames = 0
    }
}

/// What was seen since the app paused.
private struct AfterPause {
    /// Number of frames of the graph in the pause.
    let pausedFrames: Int
    var smallestFill = Int.max
    /// The fill when the count began.
    private(set) var firstFill = Int.max
    /// Number of frames asked for since then.
    var frames = 0
    /// Number of reads since then that found new cycles.
    var cycles = 0

    @_noLocks
    init(_ pausedFrames: Int) { self.pausedFrames = pausedFrames }

    /// The app catches up.
    @_noLocks
    mutating func beginCount(_ fill: Int) {
        firstFill = fill
        frames = 0
        cycles = 0
    }
}

/// The largest of the numbers in this window and in the last one.
private struct LongestOfLate {
    private var present = 0
    private var last = 0

    @_noLocks
    init() {}

    var longest: Int { @_noLocks get { max(present, last) } }

    @_noLocks
    mutating func note(_ number: Int) { present = max(present, number) }

    @_noLocks
    mutating func endWindow() {
        last = present
        present = 0
    }
}
