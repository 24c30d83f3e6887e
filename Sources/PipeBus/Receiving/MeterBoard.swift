// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import Synchronization

/// The signal levels of a receiver's lanes and of its mix, in a row of windows.
///
/// A window lasts 50 ms or one cycle, whichever is longer. The audio thread writes the newest window. Any thread reads
/// the stored windows.
final class MeterBoard: @unchecked Sendable {
    // @unchecked: every value in the cell is atomic.
    private let owned: OwnedCells<MeterBoardCore>

    init(laneCount: Int) { owned = OwnedCells(MeterBoardCore(laneCount: laneCount)) }

    var core: Cell<MeterBoardCore> { owned.cell }

    /// The number of the newest window, from 0.
    var newest: Int { core.value.newest }

    /// The signal level in the windows from one on, up to the newest.
    ///
    /// - Parameters:
    ///   - lane: `nil` for the mix.
    ///   - window: `max` for the windows of the last two seconds.
    func reading(lane: Int?, since window: Int) -> LevelMeter {
        core.value.reading(row: lane ?? core.value.laneCount, since: window)
    }
}

/// The board itself. A struct in a cell, because a call of a class needs a retain.
struct MeterBoardCore: ~Copyable {
    /// Number of windows that are kept: more than three seconds.
    static var windowCount: Int { @_noLocks get { 64 } }

    let laneCount: Int
    /// For each window a row of signal levels, of the lanes and then of the mix: the bits of the peak above the bits of
    /// the mean square.
    private let levels: OwnedCells<Atomic<UInt64>>
    /// For each window its length, in microseconds.
    private let lengths: OwnedCells<Atomic<UInt64>>
    /// For each row the window in which it was reset. Older windows are of another source, or of a time without one.
    private let beginnings: OwnedCells<Atomic<Int>>
    /// For each row the last window with invalid samples; −1 for none.
    private let invalidWindows: OwnedCells<Atomic<Int>>
    private let count = Atomic<Int>(0)
    /// The graph's sample rate, in hertz; 0 before the first cycle.
    let sampleRate = Atomic<Int>(0)
    /// The length of the last cycle, in frames.
    let cycleLength = Atomic<Int>(0)

    init(laneCount: Int) {
        self.laneCount = laneCount
        levels = OwnedCells(count: Self.windowCount * (laneCount + 1)) { _ in Atomic(0) }
        lengths = OwnedCells(count: Self.windowCount) { _ in Atomic(0) }
        beginnings = OwnedCells(count: laneCount + 1) { _ in Atomic(0) }
        invalidWindows = OwnedCells(count: laneCount + 1) { _ in Atomic(-1) }
    }

    // MARK: Audio thread

    /// Stores the signal level of a lane, or in the last row of the mix, in the newest window so far.
    @_noLocks
    @inline(__always)
    func store(peak: Float, meanSquare: Float, row: Int) {
        let bits = UInt64(peak.bitPattern) << 32 | UInt64(meanSquare.bitPattern)
        levels.cells[slot * (laneCount + 1) + row].store(bits, ordering: .relaxed)
    }

    /// Stores the length of the newest window so far. Called after its levels are stored: without them it would count
    /// as silence.
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
        // Release: a reader of the new number does not see the window's content of 64 windows ago.
        count.store(next, ordering: .releasing)
    }

    /// Resets a row, in the newest window: no reading goes further back.
    @_noLocks
    @inline(__always)
    func begin(row: Int) {
        store(peak: 0, meanSquare: 0, row: row)
        beginnings.cells[row].store(count.load(ordering: .relaxed), ordering: .relaxed)
        invalidWindows.cells[row].store(-1, ordering: .relaxed)
    }

    /// Marks the newest window of a row as one with invalid samples.
    @_noLocks
    func markInvalid(row: Int) {
        invalidWindows.cells[row].store(count.load(ordering: .relaxed), ordering: .relaxed)
    }

    /// The signal level of a row in the newest window.
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

    // MARK: Any thread

    var newest: Int { @_noLocks get { count.load(ordering: .acquiring) } }

    /// Relaxed loads: a window that is overwritten during the reading counts in part, as newer sound. That does no
    /// harm.
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
            // Acquire: the levels are visible with the length.
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
