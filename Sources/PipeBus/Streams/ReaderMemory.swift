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
    private let rings: OwnedCells<UnsafeMutablePointer<Float>?>

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
        let rows = unsafe OwnedCells<UnsafeMutablePointer<Float>?>(count: width) {
            unsafe pool.block($0, AudioCycle.maximumFrameCount).base
        }
        let rowTable = unsafe Rows(rows.cells.pointer(at: 0))
        unsafe self.rows = unsafe rows
        let rings = unsafe OwnedCells<UnsafeMutablePointer<Float>?>(count: count * width) { _ in nil }
        let ringCells = unsafe rings.cells
        unsafe self.rings = unsafe rings
        let fades = OwnedCells(repeating: ChannelFade(), count: count * width)
        let lastSamples = OwnedCells<Float>(repeating: 0, count: count * width)
        let (fade, last) = (fades.cells, lastSamples.cells)
        self.fades = fades
        self.lastSamples = lastSamples
        lanes = OwnedCells(count: count) { lane in
            unsafe ReaderLane(
                stream.reading.cell(lane),
                fades: StreamFades(
                    fade.suffix(from: lane * width), lastSamples: last.suffix(from: lane * width), count: width,
                    blocks: pool, from: width),
                width: width, rings: unsafe ringCells.suffix(from: lane * width))
        }
        offsets = OwnedCells(repeating: 0, count: count)
        ownedCore = OwnedCells(
            unsafe ReaderCore(
                port: port.core, lanes: lanes.cells, laneCount: count, fadeMicroseconds: given.microseconds, rows: pool,
                rowTable: rowTable, offsets: offsets.cells, newest: stream.progress, declaredBlock: declaredBlock))
    }

    deinit { table.remove(stream) }

    var core: Cell<ReaderCore> { ownedCore.cell }
    /// The rows of the core.
    var rowTable: Rows { unsafe Rows(rows.cells.pointer(at: 0)) }
}
