// SPDX-License-Identifier: MIT
import CAudioConversion
import RealtimeKit

/// The newest frames that went into a resampler, and those that would probably follow.
///
/// - Thread: any, one at a time.
/// - Realtime: safe, but for the initializer and the end.
@safe package struct SignalHistory: ~Copyable {
    /// The largest number of frames that are kept.
    package let length: Int
    private let rowCount: Int
    /// A row for each signal: twice the length, so that frames are seldom moved, and once more for what is predicted.
    private let samples: OwnedCells<Float>
    private let table: OwnedCells<UnsafeMutablePointer<Float>?>
    private let predictor = LinearPredictor()
    /// The place after the newest frame.
    package private(set) var end = 0

    package init(rowCount: Int, length: Int) {
        self.rowCount = rowCount
        self.length = length
        let samples = OwnedCells<Float>(repeating: 0, count: rowCount * 3 * length, alignment: 64)
        let cells = samples.cells
        self.samples = samples
        unsafe table = unsafe OwnedCells(count: rowCount) { unsafe cells.pointer(at: $0 * 3 * length) }
    }

    /// Number of frames that are there.
    package var count: Int { @_noLocks get { min(end, length) } }
    /// An address for each signal. The newest frame is the one before ``end``.
    package var rows: Rows { @_noLocks get { unsafe Rows(table.cells.pointer(at: 0)) } }

    /// Adds frames of all signals.
    @_noLocks
    package mutating func append(_ signals: Rows, from start: Int, _ frames: Int) {
        let added = min(frames, length)
        guard added > 0 else { return }
        let first = start &+ frames &- added
        if end &+ added > 2 &* length {
            let kept = length &- added
            for row in 0..<rowCount {
                let base = unsafe rows[row].unsafelyUnwrapped
                // The parts do not overlap: more than two lengths were used.
                if kept > 0 { unsafe cac_copy(base, base + (end &- kept), UInt32(truncatingIfNeeded: kept)) }
            }
            end = kept
        }
        for row in 0..<rowCount {
            unsafe cac_copy(
                rows[row].unsafelyUnwrapped + end, signals[row].unsafelyUnwrapped + first,
                UInt32(truncatingIfNeeded: added))
        }
        end &+= added
    }

    /// Predicts frames, from ``end`` on. They are there until the next ones are added.
    ///
    /// - Parameter frames: ``length`` at most.
    @_noLocks
    package func predict(_ frames: Int) {
        guard end > 0 else { return }
        for row in 0..<rowCount {
            predictor.extend(
                samples.cells.suffix(from: row &* 3 &* length), end: end, length: count, by: min(frames, length))
        }
    }

    @_noLocks
    package mutating func clear() { end = 0 }
}
