// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// Owns the memory of a stream from a receiver's audio thread to another thread.
///
/// The receiver's ``StreamSlots`` and the reader hold it. So it dies on the control side, or with its reader, when
/// neither thread uses it.
final class StreamMemory: @unchecked Sendable {
    // @unchecked: the core belongs to the audio thread, the reading lanes to the reader; the rings are made for both.
    private let ownedCore: OwnedCells<StreamCore>
    private let lanes: OwnedCells<StreamLane>
    private let readLanes: OwnedCells<StreamReadLane>
    private let samples: OwnedCells<Float>
    private let progressBuffer = TripleBuffer<StreamProgress> { _ in StreamProgress() }
    /// The reading end of the progress. Give it to the reader, and do not copy it.
    let progress: TripleBuffer<StreamProgress>.Reader
    let laneCount: Int
    /// Channels of each lane.
    let width: Int
    private let finished = Atomic<Bool>(false)

    /// - Parameters:
    ///   - capacity: number of frames of each lane that the reader may lag; rounded up to a power of two.
    ///   - records: number of cycles that the reader may lag; rounded up to a power of two.
    init(laneCount: Int, width: Int, isSeparate: Bool, capacity minimum: Int, records: Int) {
        let capacity = Self.capacity(atLeast: minimum)
        self.laneCount = laneCount
        self.width = width
        samples = OwnedCells(repeating: 0, count: laneCount * width * capacity, alignment: 64)
        let rows = samples.cells
        let queues = (0..<laneCount).map { _ in EventQueue<StreamRecord>(minimumCapacity: records) }
        lanes = OwnedCells(count: laneCount) { lane in
            StreamLane(
                queues[lane].makeWriter(), rows: rows.suffix(from: lane * width * capacity), capacity: capacity)
        }
        let written = lanes.cells
        readLanes = OwnedCells(count: laneCount) { lane in
            StreamReadLane(
                queues[lane].makeReader(), lane: written.cell(lane), rows: rows.suffix(from: lane * width * capacity))
        }
        progress = progressBuffer.makeReader()
        ownedCore = OwnedCells(
            StreamCore(
                lanes: lanes.cells, laneCount: laneCount, isSeparate: isSeparate,
                progress: progressBuffer.makeWriter()))
    }

    /// The number of frames of a ring: a power of two.
    static func capacity(atLeast minimum: Int) -> Int {
        var capacity = 1
        while capacity < minimum { capacity *= 2 }
        return capacity
    }

    var core: Cell<StreamCore> { ownedCore.cell }
    /// The reader's view of the lanes.
    var reading: Cells<StreamReadLane> { readLanes.cells }

    /// The report of a lane's last dropped frames, once the writer has finished.
    func lastReport(ofLane lane: Int) -> StreamRecord? { isFinished ? lanes.cells[lane].lastReport : nil }

    /// Whether the audio thread hands over nothing any more, because the port is closed.
    // Acquire: pairs with the release in `finish`, so that the last samples are visible.
    var isFinished: Bool { finished.load(ordering: .acquiring) }
    func finish() { finished.store(true, ordering: .releasing) }
}
