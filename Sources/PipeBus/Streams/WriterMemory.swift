// SPDX-License-Identifier: MIT
import AudioConversion
import RealtimeKit

/// Owns the memory of a ``Writer``.
@safe final class WriterMemory: @unchecked Sendable {
    // @unchecked: the core belongs to the audio thread, the ring is made for both sides.
    private let ownedCore: OwnedCells<WriterCore>
    private let ownedRing: OwnedCells<WriterRing>
    private let ownedStamps: OwnedCells<WriterStamps>
    private let samples: OwnedCells<Float>
    private let pool: OwnedCells<Float>
    private let fades: OwnedCells<ChannelFade>
    private let lastSamples: OwnedCells<Float>
    private let rows: OwnedCells<UnsafeMutablePointer<Float>?>
    /// The times of writes of live sound. Where there is no room for more, nothing is taken.
    let times: EventQueue<WriterStamp>
    private let playedBuffer = TripleBuffer<PlayedMoment> { _ in PlayedMoment() }
    /// The reading end of what the graph took last. Give it to the writer, and do not copy it.
    let played: TripleBuffer<PlayedMoment>.Reader
    let channelCount: Int

    /// - Parameters:
    ///   - limit: the largest number of frames in the ring, 1 or more.
    ///   - reserve: number of frames beyond it, for a change of the format.
    ///   - port: the sender. It must outlive the writer's last cycle.
    init(
        channelCount: Int, limit: Int, liveLatency: Int?, reserve: Int = WriterRing.reserve,
        port: Cell<PortCore>? = nil
    ) {
        self.channelCount = channelCount
        times = EventQueue(minimumCapacity: liveLatency == nil ? 1 : min(max(limit, 1024), 1 << 14))
        played = playedBuffer.makeReader()
        let capacity = StreamMemory.capacity(atLeast: limit + reserve)
        let samples = OwnedCells<Float>(repeating: 0, count: channelCount * capacity, alignment: 64)
        let cells = samples.cells
        self.samples = samples
        unsafe rows = unsafe OwnedCells(count: channelCount) { unsafe cells.pointer(at: $0 * capacity) }
        let ring = OwnedCells(WriterRing(rows: cells, capacity: capacity, limit: limit))
        let stamps = OwnedCells(WriterStamps(times.makeReader()))
        let fades = OwnedCells(repeating: ChannelFade(), count: channelCount)
        let lastSamples = OwnedCells<Float>(repeating: 0, count: channelCount)
        let memory = OwnedCells<Float>(repeating: 0, count: BlockPool.sampleCount(blocks: 3), alignment: 64)
        ownedCore = OwnedCells(
            WriterCore(
                ring: ring.cell, port: port, stamps: stamps.cell, played: playedBuffer.makeWriter(),
                fades: StreamFades(
                    fades.cells, lastSamples: lastSamples.cells, count: channelCount, blocks: BlockPool(memory.cells)),
                channelCount: channelCount, liveLatency: liveLatency))
        ownedRing = ring
        ownedStamps = stamps
        self.fades = fades
        self.lastSamples = lastSamples
        pool = memory
    }

    var core: Cell<WriterCore> { ownedCore.cell }
    var ring: Cell<WriterRing> { ownedRing.cell }
    /// The rows of the ring, for the converter.
    var rowTable: Rows { unsafe Rows(rows.cells.pointer(at: 0)) }
}
