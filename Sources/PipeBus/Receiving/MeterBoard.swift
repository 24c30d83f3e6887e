// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import Synchronization

/// The levels of a receiver's lanes and of its mix, as a row of windows of a twentieth of a second or one cycle, whichever
/// is longer. The audio thread writes the newest one, and anybody reads as many as are kept.
final class MeterBoard: @unchecked Sendable {
    // @unchecked: what is in the cell is atomic.
    private let owned: OwnedCells<MeterBoardCore>

    init(laneCount: Int) { owned = OwnedCells(MeterBoardCore(laneCount: laneCount)) }

    var core: Cell<MeterBoardCore> { owned.cell }

    /// The number of the newest window, from 0 on.
    var newest: Int { core.value.newest }

    /// What was heard in the windows from one on, up to the newest.
    ///
    /// - Parameters:
    ///   - lane: `nil` for the mix.
    ///   - window: `max` for those of the last two seconds.
    func reading(lane: Int?, since window: Int) -> LevelMeter {
        core.value.reading(row: lane ?? core.value.laneCount, since: window)
    }
}

/// The board itself. A struct in a cell, because a class cannot be called without a retain.
struct MeterBoardCore: ~Copyable {
    /// Windows that are kept: more than three seconds.
    static var windowCount: Int { @_noLocks get { 64 } }

    let laneCount: Int
    /// For each window a row of levels, of the lanes and then of the mix: the bits of the peak above those of the mean
    /// square.
    private let levels: OwnedCells<Atomic<UInt64>>
    /// For each window how long it is, in microseconds.
    private let lengths: OwnedCells<Atomic<UInt64>>
    /// For each row the window that it began in: what was heard before is another source's, or long past.
    private let beginnings: OwnedCells<Atomic<Int>>
    /// For each row the last window in which something was no number; −1 for none.
    private let invalidWindows: OwnedCells<Atomic<Int>>
    private let count = Atomic<Int>(0)
    /// The graph's, in hertz; 0 before the first cycle.
    let sampleRate = Atomic<Int>(0)
    /// Of the last cycle, in frames.
    let cycleLength = Atomic<Int>(0)

    init(laneCount: Int) {
        self.laneCount = laneCount
        levels = OwnedCells(count: Self.windowCount * (laneCount + 1)) { _ in Atomic(0) }
        lengths = OwnedCells(count: Self.windowCount) { _ in Atomic(0) }
        beginnings = OwnedCells(count: laneCount + 1) { _ in Atomic(0) }
        invalidWindows = OwnedCells(count: laneCount + 1) { _ in Atomic(-1) }
    }

    // MARK: Audio thread

    /// Stores what a lane, or in the last row the mix, came to in the newest window so far.
    @_noLocks
    @inline(__always)
    func store(peak: Float, meanSquare: Float, row: Int) {
        let bits = UInt64(peak.bitPattern) << 32 | UInt64(meanSquare.bitPattern)
        levels.cells[slot * (laneCount + 1) + row].store(bits, ordering: .relaxed)
    }

    /// Stores how long the newest window is so far. Comes after its levels: without them it would count as silence.
    @_noLocks
    @inline(__always)
    func store(microseconds: UInt64) { lengths.cells[slot].store(microseconds, ordering: .releasing) }

    /// Begins the next window.
    @_noLocks
    @inline(__always)
    func beginWindow() {
        let next = count.load(ordering: .relaxed) &+ 1
        let slot = next & (Self.windowCount - 1)
        lengths.cells[slot].store(0, ordering: .relaxed)
        for row in 0..<laneCount + 1 {
            levels.cells[slot * (laneCount + 1) + row].store(0, ordering: .relaxed)
        }
        // Release: whoever sees the number does not see what the window held 64 windows ago.
        count.store(next, ordering: .releasing)
    }

    /// Begins a row again, in the newest window: no reading goes further back.
    @_noLocks
    @inline(__always)
    func begin(row: Int) {
        store(peak: 0, meanSquare: 0, row: row)
        beginnings.cells[row].store(count.load(ordering: .relaxed), ordering: .relaxed)
        invalidWindows.cells[row].store(-1, ordering: .relaxed)
    }

    /// Marks the newest window of a row: something was no number.
    @_noLocks
    func markInvalid(row: Int) {
        invalidWindows.cells[row].store(count.load(ordering: .relaxed), ordering: .relaxed)
    }

    /// What was stored of a row in the newest window.
    @_noLocks
    func stored(row: Int) -> (peak: Float, meanSquare: Float) {
        let bits = levels.cells[slot * (laneCount + 1) + row].load(ordering: .relaxed)
        return (
            Float(bitPattern: UInt32(truncatingIfNeeded: bits >> 32)),
            Float(bitPattern: UInt32(truncatingIfNeeded: bits))
        )
    }

    private var slot: Int {
        @_noLocks @inline(__always) get { count.load(ordering: .relaxed) & (Self.windowCount - 1) }
    }

    // MARK: Anybody

    var newest: Int { @_noLocks get { count.load(ordering: .acquiring) } }

    /// Relaxed loads: a window that is written over while it is read counts in part, as newer sound, which does no harm.
    @_noLocks
    func reading(row: Int, since first: Int) -> LevelMeter {
        let newest = newest
        var meter = LevelMeter()
        var meanSquares = 0.0
        var time: UInt64 = 0
        var window = newest
        let beginning = beginnings.cells[row].load(ordering: .relaxed)
        let invalidWindow = invalidWindows.cells[row].load(ordering: .relaxed)
        while window >= beginning, window > newest - Self.windowCount + 1 {
            let slot = window & (Self.windowCount - 1)
            // Acquire: with the length come the levels.
            let length = lengths.cells[slot].load(ordering: .acquiring)
            let bits = levels.cells[slot * (laneCount + 1) + row].load(ordering: .relaxed)
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
