// SPDX-License-Identifier: MIT
import AudioConversion
import AudioKernels
import CAudioKernels
import RealtimeKit
import Synchronization

/// Owns the memory of a ``MultiStream``. Its inputs and its output hold it.
@safe final class MultiStreamMemory: @unchecked Sendable {
    // @unchecked: each input's rings are made for two threads; the core belongs to the output's.
    let channelCount: Int
    private let inputs: [WriterMemory]
    /// The times of writes of each input.
    private let times: [EventQueue<WriterStamp>]
    private let sharedCells: OwnedCells<MultiStreamShared>
    private let lanes: OwnedCells<MultiStreamLane>
    private let fades: OwnedCells<ChannelFade>
    private let lastSamples: OwnedCells<Float>
    private let samples: OwnedCells<Float>
    private let rows: OwnedCells<UnsafeMutablePointer<Float>?>
    private let planes: OwnedCells<UnsafeMutableRawPointer>
    private let results: OwnedCells<Float>
    /// Of each lane's results, and of the mix.
    private let resultRows: OwnedCells<UnsafeMutablePointer<Float>?>
    private let mixRows: OwnedCells<UnsafeMutablePointer<Float>?>
    private let mixInputs: OwnedCells<cak_input>
    private let ownedCore: OwnedCells<MultiStreamCore>

    init(_ formats: [StreamFormat], channelCount: Int, capacities: [Int]) {
        self.channelCount = channelCount
        let inputs = capacities.map {
            WriterMemory(channelCount: channelCount, limit: $0, liveLatency: nil, reserve: 0)
        }
        self.inputs = inputs
        let times = capacities.map { EventQueue<WriterStamp>(minimumCapacity: min(max($0, 1024), 1 << 14)) }
        self.times = times
        let (width, count, piece) = (channelCount, formats.count, MultiStreamCore.longestPiece)
        let shared = OwnedCells<MultiStreamShared>(count: count) { _ in MultiStreamShared() }
        let sharedRow = shared.cells
        sharedCells = shared
        // For each channel: what goes into a resampler, and the mix; then the fades' three blocks.
        let samples = OwnedCells<Float>(
            repeating: 0, count: BlockPool.sampleCount(blocks: 2 * width + 3), alignment: 64)
        let sampleCells = samples.cells
        self.samples = samples
        let pool = BlockPool(sampleCells)
        let rows = unsafe OwnedCells<UnsafeMutablePointer<Float>?>(count: width) {
            unsafe pool.block($0, AudioCycle.maximumFrameCount).base
        }
        let rowTable = unsafe rows.cells
        unsafe self.rows = unsafe rows
        let results = OwnedCells<Float>(repeating: 0, count: count * width * piece, alignment: 64)
        let resultCells = results.cells
        self.results = results
        let planes = unsafe OwnedCells<UnsafeMutableRawPointer>(count: count * width) {
            unsafe UnsafeMutableRawPointer(resultCells.pointer(at: $0 * piece))
        }
        let planeTable = unsafe planes.cells
        unsafe self.planes = unsafe planes
        let resultRows = unsafe OwnedCells<UnsafeMutablePointer<Float>?>(count: count * width) {
            unsafe resultCells.pointer(at: $0 * piece)
        }
        let mix = BlockPool(sampleCells, from: width)
        let mixRows = unsafe OwnedCells<UnsafeMutablePointer<Float>?>(count: width) { unsafe mix.block($0, piece).base }
        let (resultTable, mixTable) = unsafe (resultRows.cells, mixRows.cells)
        unsafe self.resultRows = unsafe resultRows
        unsafe self.mixRows = unsafe mixRows
        let mixInputs = unsafe OwnedCells(count: count) { _ in unsafe cak_input() }
        let mixRow = unsafe mixInputs.cells
        unsafe self.mixInputs = unsafe mixInputs
        let fades = OwnedCells(repeating: ChannelFade(), count: count * width)
        let lastSamples = OwnedCells<Float>(repeating: 0, count: count * width)
        let (fadeCells, lastCells) = (fades.cells, lastSamples.cells)
        self.fades = fades
        self.lastSamples = lastSamples
        let reference = formats[0].sampleRate ?? 48_000
        // While one waits for another, each has to keep what comes.
        let held = zip(formats, capacities).map { Double($1) / Double($0.sampleRate ?? reference) }
        let longestDistance = max(held.min() ?? 0, 2)
        let lanes = OwnedCells<MultiStreamLane>(count: count) { index in
            unsafe MultiStreamLane(
                ring: inputs[index].ring, stamps: times[index].makeReader(), shared: sharedRow.cell(index),
                channelCount: width, sampleRate: formats[index].sampleRate ?? reference,
                outputRate: reference, isReference: index == 0, longestDistance: longestDistance,
                fades: StreamFades(
                    fadeCells.suffix(from: index * width), lastSamples: lastCells.suffix(from: index * width),
                    count: width, blocks: pool, from: 2 * width), pool: pool,
                rows: Rows(rowTable.pointer(at: 0)), planes: Planes(planeTable.pointer(at: index * width)))
        }
        let laneRow = lanes.cells
        self.lanes = lanes
        ownedCore = OwnedCells(
            unsafe MultiStreamCore(
                lanes: laneRow, laneCount: count, channelCount: width, sampleRate: reference, results: resultCells,
                resultRows: unsafe Rows(resultTable.pointer(at: 0)), mixInputs: unsafe MixInputs(mixRow), mix: mix,
                mixRows: unsafe Rows(mixTable.pointer(at: 0))))
    }

    var inputCount: Int { inputs.count }
    var core: Cell<MultiStreamCore> { ownedCore.cell }
    func input(_ index: Int) -> WriterMemory { inputs[index] }
    func times(_ index: Int) -> EventQueue<WriterStamp> { times[index] }
    func shared(_ index: Int) -> Cell<MultiStreamShared> { sharedCells.cells.cell(index) }

    func setLevel(volume: Double, pan: Double, of index: Int) {
        let volume = volume.isNaN ? 0 : min(max(volume, 0), 8)
        let pan = pan.isNaN ? 0 : min(max(pan, -1), 1)
        let (left, right) = channelCount == 2 ? PanLaw.balance.gains(pan: pan) : (1, 1)
        shared(index).value.setGains(left: Float(volume * left), right: Float(volume * right))
    }
}
