// SPDX-License-Identifier: MIT
import CRealtime
import Synchronization

/// The levels of a receiver's lanes and of its mix, as a row of windows of a twentieth of a second or one cycle, whichever
/// is longer. The audio thread writes the newest one, and anybody reads as many as are kept.
@safe final class MeterBoard: @unchecked Sendable {
    // @unchecked: the pointers never change, and what they lead to is atomic.

    let core: UnsafeMutablePointer<MeterBoardCore>

    init(laneCount: Int) {
        unsafe core = .allocate(capacity: 1)
        unsafe core.initialize(to: MeterBoardCore(laneCount: laneCount))
    }

    deinit {
        unsafe core.deinitialize(count: 1)
        unsafe core.deallocate()
    }

    /// The number of the newest window, from 0 on.
    var newest: Int { unsafe core.pointee.newest }

    /// What was heard in the windows from one on, up to the newest.
    ///
    /// - Parameters:
    ///   - lane: `nil` for the mix.
    ///   - window: `max` for those of the last two seconds.
    func reading(lane: Int?, since window: Int) -> LevelMeter {
        unsafe core.pointee.reading(row: lane ?? core.pointee.laneCount, since: window)
    }
}

/// The board itself. A struct behind a pointer, because a class cannot be called without a retain.
@unsafe struct MeterBoardCore: ~Copyable {
    /// Windows that are kept: more than three seconds.
    static var windowCount: Int { @_noLocks get { 64 } }

    let laneCount: Int
    /// For each window a row of levels, of the lanes and then of the mix: the bits of the peak above those of the mean
    /// square.
    private let levels: UnsafeMutablePointer<Atomic<UInt64>>
    /// For each window how long it is, in microseconds.
    private let lengths: UnsafeMutablePointer<Atomic<UInt64>>
    /// For each row the window that it began in: what was heard before is another source's, or long past.
    private let beginnings: UnsafeMutablePointer<Atomic<Int>>
    /// For each row the last window in which something was no number; −1 for none.
    private let invalidWindows: UnsafeMutablePointer<Atomic<Int>>
    private let count = Atomic<Int>(0)
    /// The graph's, in hertz; 0 before the first cycle.
    let sampleRate = Atomic<Int>(0)
    /// Of the last cycle, in frames.
    let cycleLength = Atomic<Int>(0)

    init(laneCount: Int) {
        unsafe self.laneCount = laneCount
        let levelCount = unsafe Self.windowCount * (laneCount + 1)
        unsafe levels = .allocate(capacity: levelCount)
        for index in 0..<levelCount { unsafe (levels + index).initialize(to: Atomic(0)) }
        unsafe lengths = .allocate(capacity: Self.windowCount)
        for index in unsafe 0..<Self.windowCount { unsafe (lengths + index).initialize(to: Atomic(0)) }
        unsafe beginnings = .allocate(capacity: laneCount + 1)
        unsafe invalidWindows = .allocate(capacity: laneCount + 1)
        for row in 0..<laneCount + 1 {
            unsafe (beginnings + row).initialize(to: Atomic(0))
            unsafe (invalidWindows + row).initialize(to: Atomic(-1))
        }
    }

    deinit {
        unsafe levels.deinitialize(count: Self.windowCount * (laneCount + 1))
        unsafe levels.deallocate()
        unsafe lengths.deinitialize(count: Self.windowCount)
        unsafe lengths.deallocate()
        unsafe beginnings.deinitialize(count: laneCount + 1)
        unsafe beginnings.deallocate()
        unsafe invalidWindows.deinitialize(count: laneCount + 1)
        unsafe invalidWindows.deallocate()
    }

    // MARK: Audio thread

    /// Stores what a lane, or in the last row the mix, came to in the newest window so far.
    @_noLocks
    @inline(__always)
    func store(peak: Float, meanSquare: Float, row: Int) {
        let bits = UInt64(peak.bitPattern) << 32 | UInt64(meanSquare.bitPattern)
        unsafe levels[slot * (laneCount + 1) + row].store(bits, ordering: .relaxed)
    }

    /// Stores how long the newest window is so far. Comes after its levels: without them it would count as silence.
    @_noLocks
    @inline(__always)
    func store(microseconds: UInt64) { unsafe lengths[slot].store(microseconds, ordering: .releasing) }

    /// Begins the next window.
    @_noLocks
    @inline(__always)
    func beginWindow() {
        let next = unsafe count.load(ordering: .relaxed) &+ 1
        let slot = unsafe next & (Self.windowCount - 1)
        unsafe lengths[slot].store(0, ordering: .relaxed)
        for row in unsafe 0..<laneCount + 1 {
            unsafe levels[slot * (laneCount + 1) + row].store(0, ordering: .relaxed)
        }
        // Release: whoever sees the number does not see what the window held 64 windows ago.
        unsafe count.store(next, ordering: .releasing)
    }

    /// Begins a row anew, in the newest window: nobody is told any more what was heard on it before.
    @_noLocks
    @inline(__always)
    func begin(row: Int) {
        unsafe store(peak: 0, meanSquare: 0, row: row)
        unsafe beginnings[row].store(count.load(ordering: .relaxed), ordering: .relaxed)
        unsafe invalidWindows[row].store(-1, ordering: .relaxed)
    }

    /// Marks the newest window of a row: something was no number.
    @_noLocks
    func markInvalid(row: Int) {
        unsafe invalidWindows[row].store(count.load(ordering: .relaxed), ordering: .relaxed)
    }

    /// What was stored of a row in the newest window.
    @_noLocks
    func stored(row: Int) -> (peak: Float, meanSquare: Float) {
        let bits = unsafe levels[slot * (laneCount + 1) + row].load(ordering: .relaxed)
        return (
            Float(bitPattern: UInt32(truncatingIfNeeded: bits >> 32)),
            Float(bitPattern: UInt32(truncatingIfNeeded: bits))
        )
    }

    private var slot: Int {
        @_noLocks @inline(__always) get { unsafe count.load(ordering: .relaxed) & (Self.windowCount - 1) }
    }

    // MARK: Anybody

    var newest: Int { @_noLocks get { unsafe count.load(ordering: .acquiring) } }

    /// Relaxed loads: a window that is written over while it is read counts in part, as newer sound, which does no harm.
    @_noLocks
    func reading(row: Int, since first: Int) -> LevelMeter {
        let newest = unsafe newest
        var meter = LevelMeter()
        var meanSquares = 0.0
        var time: UInt64 = 0
        var window = newest
        let beginning = unsafe beginnings[row].load(ordering: .relaxed)
        let invalidWindow = unsafe invalidWindows[row].load(ordering: .relaxed)
        while window >= beginning, unsafe window > newest - Self.windowCount + 1 {
            let slot = unsafe window & (Self.windowCount - 1)
            // Acquire: with the length come the levels.
            let length = unsafe lengths[slot].load(ordering: .acquiring)
            let bits = unsafe levels[slot * (laneCount + 1) + row].load(ordering: .relaxed)
            let peak = Float(bitPattern: UInt32(truncatingIfNeeded: bits >> 32))
            if window >= first, peak > meter.peak { meter.peak = peak }
            if time < LevelMeter.holdMicroseconds {
                if peak > meter.heldPeak { meter.heldPeak = peak }
                if window == invalidWindow { meter.hasInvalidSamples = true }
            }
            if time < LevelMeter.integrationMicroseconds {
                meanSquares += Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) * Double(length)
                meter.integratedMicroseconds += length
            }
            time += length
            if window < first, time >= LevelMeter.holdMicroseconds { break }
            window -= 1
        }
        if first == .max { meter.peak = meter.heldPeak }
        if meter.integratedMicroseconds > 0 {
            meter.rms = crt_square_root(Float(meanSquares / Double(meter.integratedMicroseconds)))
        }
        return meter
    }
}
