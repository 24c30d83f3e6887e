// SPDX-License-Identifier: MIT
import AudioConversion
import RealtimeKit

/// Owns the memory of a ``Reader``.
@safe final class ReaderMemory: @unchecked Sendable {
    // @unchecked: the cells belong to the reader's thread.
    let stream: StreamMemory
    private let table: StreamTable
    private let portCells: PortCells
    private let ownedCore: OwnedCells<ReaderCore>
    private let lanes: OwnedCells<ReaderLane>
    private let fades: OwnedCells<ChannelFade>
    private let lastSamples: OwnedCells<Float>
    private let offsets: OwnedCells<Int>
    private let samples: OwnedCells<Float>
    private let rows: OwnedCells<UnsafeMutablePointer<Float>?>

    init(_ stream: StreamMemory, of table: StreamTable, port: PortCells, fade given: Fade, declaredBlock: Int) {
        self.stream = stream
        self.table = table
        portCells = port
        let (width, count) = (stream.width, stream.laneCount)
        // A row for each channel, then those of the fades.
        let samples = OwnedCells<Float>(
            repeating: 0, count: BlockPool.sampleCount(blocks: width + 3), alignment: 64)
        let pool = BlockPool(samples.cells)
        self.samples = samples
        unsafe rows = unsafe OwnedCells(count: width) { unsafe pool.block($0, AudioCycle.maximumFrameCount).base }
        let fades = OwnedCells(repeating: ChannelFade(), count: count * width)
        let lastSamples = OwnedCells<Float>(repeating: 0, count: count * width)
        let (fade, last) = (fades.cells, lastSamples.cells)
        self.fades = fades
        self.lastSamples = lastSamples
        lanes = OwnedCells(count: count) { lane in
            ReaderLane(
                stream.reading.cell(lane),
                fades: StreamFades(
                    fade.suffix(from: lane * width), lastSamples: last.suffix(from: lane * width), count: width,
                    blocks: pool, from: width),
                width: width)
        }
        offsets = OwnedCells(repeating: 0, count: count)
        ownedCore = OwnedCells(
            ReaderCore(
                port: port.core, lanes: lanes.cells, laneCount: count, fadeMicroseconds: given.microseconds, rows: pool,
                offsets: offsets.cells, newest: stream.progress, declaredBlock: declaredBlock))
    }

    deinit { table.remove(stream) }

    var core: Cell<ReaderCore> { ownedCore.cell }
    /// The rows of the core, for the converter.
    var rowTable: Rows { unsafe Rows(rows.cells.pointer(at: 0)) }
}
