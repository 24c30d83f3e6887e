// SPDX-License-Identifier: MIT
import AudioConversion
import RealtimeKit

/// The newest frames of a lane of a ``Capture``, for resamplers that end and begin in the middle of its sound.
///
/// - Thread: any, one at a time.
/// - Realtime: unsafe.
@safe final class CaptureHistory {
    private var frames: SignalHistory
    private let channelCount: Int
    private let sampleRate: Int
    /// What follows directly on the newest frame.
    private var end: StreamRecord

    /// Enough for a resampler from 384 to 8 kHz.
    private static let length = 2560

    init(for record: StreamRecord) {
        channelCount = record.channelCount
        sampleRate = record.sampleRate
        end = record
        frames = SignalHistory(rowCount: record.channelCount, length: Self.length)
    }

    /// Whether a record has the form of the frames.
    func fits(_ record: StreamRecord) -> Bool {
        record.channelCount == channelCount && record.sampleRate == sampleRate
    }

    /// Whether frames follow without a gap.
    func isContinued(by record: StreamRecord) -> Bool {
        fits(record) && frames.count > 0 && record.isContinuation && record.generation == end.generation
            && record.clock == end.clock
    }

    /// Adds the first frames of a record.
    func append(_ record: StreamRecord, _ rows: Rows, _ count: Int) {
        if !isContinued(by: record) { frames.clear() }
        unsafe frames.append(rows, from: 0, count)
        end = record.advanced(by: count)
    }

    /// Adds the first frames of a record.
    ///
    /// - Parameter samples: one channel after the other.
    func append(_ record: StreamRecord, _ samples: [Float], _ count: Int) {
        guard count > 0 else { return }
        unsafe samples.withUnsafeBufferPointer { samples in
            // Only read.
            let first = unsafe UnsafeMutablePointer(mutating: samples.baseAddress.unsafelyUnwrapped)
            let table = unsafe OwnedCells<UnsafeMutablePointer<Float>?>(count: channelCount) {
                unsafe first + $0 * count
            }
            unsafe append(record, Rows(table.cells.pointer(at: 0)), count)
        }
    }

    /// Copies the newest frames. Where there are fewer, the oldest one stands for those before.
    func copyLatest(_ count: Int, into rows: Rows) {
        for channel in 0..<channelCount {
            let (row, source) = unsafe (rows[channel].unsafelyUnwrapped, frames.rows[channel].unsafelyUnwrapped)
            for frame in 0..<count {
                unsafe row[frame] = source[frames.end - min(count - frame, frames.count)]
            }
        }
    }

    /// Copies frames that would probably follow, and silence after them.
    func copyPrediction(from first: Int, _ count: Int, into rows: Rows) {
        frames.predict(Self.length)
        for channel in 0..<channelCount {
            let (row, source) = unsafe (rows[channel].unsafelyUnwrapped, frames.rows[channel].unsafelyUnwrapped)
            for frame in 0..<count {
                unsafe row[frame] = first + frame < Self.length ? source[frames.end + first + frame] : 0
            }
        }
    }
}
