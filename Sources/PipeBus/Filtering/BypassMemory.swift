// SPDX-License-Identifier: MIT
import CAudioKernels
import RealtimeKit
import Synchronization

/// Owns what the audio thread uses of a filter that is bypassed, and gives the control side access to it. Made when a filter
/// is bypassed for the first time: most never are.
///
/// - Thread: the client's.
@safe final class BypassMemory {
    private let owned: OwnedCells<BypassCore>
    private let orders: TripleBuffer<BypassOrder>
    private let samples: OwnedCells<Float>
    private let mixInputs: OwnedCells<cak_input>
    private let channels: Int
    private var writer: TripleBuffer<BypassOrder>.Writer
    private var order = BypassOrder()
    private var generation = 0
    /// In their places.
    private var lines: [Line?] = Array(repeating: nil, count: BypassPlaces.count)

    /// A line's memory.
    private struct Line {
        var storage: DelayStorage
        /// The newest order that the audio thread has had it with; 0 if it has not.
        var order = 0
    }

    /// - Parameter silence: the longest cycle of zeros, which lives longer than this.
    init(inputCount: Int, outputCount: Int, silence: SampleBlock) {
        cak_prepare()
        channels = outputCount
        orders = TripleBuffer { _ in BypassOrder() }
        writer = orders.makeWriter()
        samples = OwnedCells(repeating: 0, count: BlockPool.sampleCount(blocks: outputCount + 2))
        unsafe mixInputs = OwnedCells(repeating: cak_input(), count: inputCount)
        // A block for each output and one more for the lines, and one for the routing.
        let routing = BypassRouting(
            inputCount: inputCount, outputCount: outputCount, place: BlockPool(samples.cells, from: outputCount + 1),
            mixInputs: unsafe MixInputs(mixInputs.cells), silence: silence)
        owned = OwnedCells(
            BypassCore(routing, orders: orders.makeReader(), scratch: BlockPool(samples.cells), silence: silence))
    }

    var core: Cell<BypassCore> { owned.cell }

    /// Delay lines that are there.
    var lineCount: Int { lines.count { $0 != nil } }

    var isBypassed: Bool { order.isBypassed }

    /// The audio thread has nothing to do with it any more.
    var isIdle: Bool { !order.isBypassed && core.value.wetOrder.load(ordering: .acquiring) == order.number }

    /// - Parameter latency: the filter's, in frames.
    func set(isBypassed: Bool, latency: Int) {
        forgetLine()
        let last = order
        order.number += 1
        order.isBypassed = isBypassed
        // The fade back to wet needs one, if it has not ended yet.
        let needsLine = isBypassed || order.line.generation != 0
        if needsLine, order.line.generation == 0 || order.line.delay != latency { makeLine(delay: latency) }
        writer.value = order
        // What was not taken never will be: the audio thread need not have run for a long time.
        if writer.publish(), last.line.mark != 0 { lines[last.line.place]?.order = last.number }
        freeLines()
    }

    /// Frees what the audio thread has left behind.
    ///
    /// - Parameter hasDestination: whether the port's status, as published before this call, lets the audio thread come here.
    /// - Returns: whether nothing is left to be done.
    @discardableResult
    func settle(hasDestination: Bool) -> Bool {
        if !hasDestination, !order.isBypassed, !isIdle { core.value.abandon(order.number) }
        forgetLine()
        freeLines()
        return isIdle
    }

    /// Once the bypass has ended.
    private func forgetLine() {
        if isIdle { order.line = BypassLine() }
    }

    private func makeLine(delay: Int) {
        generation += 1
        order.line = BypassLine()
        order.line.generation = generation
        order.line.delay = delay
        guard delay > 0 else { return }
        let storage = DelayStorage(frames: delay + AudioCycle.maximumFrameCount, channels: channels)
        order.line.line = DelayLine(storage.memory)
        // The audio thread has reported three at most, and may be taking a fourth; one waits for it.
        let place = lines.firstIndex { $0 == nil }!
        order.line.place = place
        lines[place] = Line(storage: storage)
    }

    private func freeLines() {
        let holdings = core.value.holdings.load(ordering: .acquiring)
        let known = holdings >> BypassPlaces.count
        for place in 0..<BypassPlaces.count {
            guard let line = lines[place], order.line.mark & 1 << place == 0 else { continue }
            // What it has just taken it has not reported yet.
            guard holdings & 1 << place == 0, line.order <= known else { continue }
            lines[place] = nil
        }
    }
}
