// SPDX-License-Identifier: MIT
import CAudioKernels
import RealtimeKit
import Synchronization

/// Owns the audio thread's memory of a port whose block has a fixed size.
@safe final class BlockMemory: @unchecked Sendable {
    // @unchecked: as ``PortMemory``.
    /// The sizes that an app may choose, in frames.
    static let sizes = 1...65_536

    /// The kind of port, with its numbers of channels.
    enum Shape {
        case sender(outputs: Int)
        case filter(inputs: Int, outputs: Int)
        case inPlaceFilter(channels: Int)
    }

    private let rows: OwnedCells<Float>
    private let bases: OwnedCells<UnsafeMutablePointer<Float>?>
    private let line: DelayStorage
    private let samples: OwnedCells<Float>
    private let fades: OwnedCells<ChannelFade>
    private let lastSamples: OwnedCells<Float>
    private let ownedFilter: OwnedCells<FilterBlocks>?
    private let ownedSender: OwnedCells<SenderBlocks>?
    /// The audio thread's part of a filter.
    let filter: Cell<FilterBlocks>?
    /// The audio thread's part of a sender.
    let sender: Cell<SenderBlocks>?

    /// - Parameters:
    ///   - blockSize: in frames; one of ``sizes``.
    ///   - fade: the fade of a filter's sound where it begins again, or is cut off.
    init(_ shape: Shape, blockSize: Int, fade: Fade = .none) {
        cak_prepare()
        let (inputCount, outputCount, firstOutput) =
            switch shape {
            case .sender(let outputs): (0, outputs, 0)
            case .filter(let inputs, let outputs): (inputs, outputs, inputs)
            case .inPlaceFilter(let channels): (channels, channels, 0)
            }
        let rowCount = firstOutput + outputCount
        // Each row begins on a cache line.
        let length = (blockSize + 15) & ~15
        rows = OwnedCells(repeating: 0, count: rowCount * length, alignment: 64)
        unsafe bases = OwnedCells(repeating: nil, count: rowCount)
        for row in 0..<rowCount { unsafe bases.cells[row] = rows.cells.pointer(at: row * length) }
        let inputs = unsafe CycleBuffers(bases.cells.pointer(at: 0), frameCount: blockSize)
        let outputs = unsafe CycleBuffers(bases.cells.pointer(at: firstOutput), frameCount: blockSize)
        // The most that waits at once: a block, and a cycle.
        line = DelayStorage(frames: blockSize + AudioCycle.maximumFrameCount, channels: outputCount)
        samples = OwnedCells(repeating: 0, count: BlockPool.sampleCount(blocks: 4))
        fades = OwnedCells(repeating: ChannelFade(), count: outputCount)
        lastSamples = OwnedCells(repeating: 0, count: outputCount)
        let pool = BlockPool(samples.cells)
        let queue = BlockQueue(
            channelCount: outputCount, line: line.memory,
            fades: StreamFades(
                fades.cells, lastSamples: lastSamples.cells, count: outputCount, blocks: pool, from: 1),
            place: pool.block(0, AudioCycle.maximumFrameCount))
        if case .sender = shape {
            let owned = OwnedCells(SenderBlocks(blockSize: blockSize, outputs: outputs, queue: queue))
            (sender, filter) = (owned.cell, nil)
            ownedSender = consume owned
            ownedFilter = nil
        } else {
            let owned = OwnedCells(
                FilterBlocks(
                    blockSize: blockSize, inputs: inputs, inputCount: inputCount, outputs: outputs, queue: queue,
                    fade: fade))
            (sender, filter) = (nil, owned.cell)
            ownedFilter = consume owned
            ownedSender = nil
        }
    }

    /// By how much a filter's sound is late because of the block's size, or a sender's is made ahead, in frames.
    ///
    /// - Thread: any.
    var addedFrames: Int {
        filter?.value.addedFrames.load(ordering: .relaxed) ?? sender?.value.addedFrames.load(ordering: .relaxed) ?? 0
    }
}
