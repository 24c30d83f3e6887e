// SPDX-License-Identifier: MIT
import CAudioKernels
import RealtimeKit
import Synchronization

/// Owns what the audio thread uses of a filter that is bypassed, and is the control side's way to it. Made when a filter
/// is bypassed for the first time: most never are.
///
/// - Thread: the client's.
@safe final class BypassMemory {
    let core: UnsafeMutablePointer<BypassCore>
    private let channels: Int
    private var slot = SlotExchange.firstWritten
    private var order = unsafe BypassOrder()
    private var generation = 0
    /// In their places.
    private var lines: [Line?] = Array(repeating: nil, count: BypassPlaces.count)

    /// A line's memory.
    @safe private final class Line {
        let samples: UnsafeMutablePointer<Float>
        /// The newest order that the audio thread has had it with; 0 if it has not.
        var order = 0

        init(count: Int) {
            unsafe samples = .allocate(capacity: count)
            // Written to, so that the audio thread is the first on no page.
            unsafe samples.initialize(repeating: 0, count: count)
        }

        deinit { unsafe samples.deallocate() }
    }

    /// - Parameter silence: one cycle of zeros, which lives longer than this.
    init(inputCount: Int, outputCount: Int, silence: UnsafeMutablePointer<Float>) {
        cak_prepare()
        channels = outputCount
        let orders = UnsafeMutablePointer<BypassOrder>.allocate(capacity: 3)
        unsafe orders.initialize(repeating: BypassOrder(), count: 3)
        let scratchCount = (outputCount + 2) * AudioCycle.maximumFrameCount
        let scratch = UnsafeMutablePointer<Float>.allocate(capacity: scratchCount)
        unsafe scratch.initialize(repeating: 0, count: scratchCount)
        let mixInputs = UnsafeMutablePointer<cak_input>.allocate(capacity: inputCount)
        unsafe mixInputs.initialize(repeating: cak_input(), count: inputCount)
        unsafe core = .allocate(capacity: 1)
        unsafe core.initialize(
            to: BypassCore(
                inputCount: inputCount, outputCount: outputCount, orders: orders, scratch: scratch, silence: silence,
                mixInputs: mixInputs))
    }

    deinit {
        unsafe core.pointee.orders.deallocate()
        unsafe core.pointee.scratch.deallocate()
        unsafe core.pointee.mixInputs.deallocate()
        unsafe core.deinitialize(count: 1)
        unsafe core.deallocate()
    }

    /// Delay lines that are there.
    var lineCount: Int { lines.count { $0 != nil } }

    var isBypassed: Bool { unsafe order.isBypassed }

    /// The audio thread has nothing to do with it any more.
    var isIdle: Bool { unsafe !order.isBypassed && core.pointee.wetOrder.load(ordering: .acquiring) == order.number }

    /// - Parameter latency: the filter's, in frames.
    func set(isBypassed: Bool, latency: Int) {
        forgetLine()
        let last = unsafe order
        unsafe order.number += 1
        unsafe order.isBypassed = isBypassed
        // The way back needs one, if it has not ended yet.
        let needsLine = unsafe isBypassed || order.line.generation != 0
        if needsLine, unsafe order.line.generation == 0 || order.line.delay != latency { makeLine(delay: latency) }
        unsafe core.pointee.orders[slot] = unsafe order
        let (slot, wasTaken) = unsafe core.pointee.exchange.replace(slot)
        self.slot = slot
        // What was not taken never will be: the audio thread need not have run for a long time.
        if wasTaken, unsafe last.line.mark != 0 { unsafe lines[last.line.place]?.order = last.number }
        freeLines()
    }

    /// Frees what the audio thread has left behind.
    ///
    /// - Parameter hasDestination: whether the audio thread comes at all, as it was told before this.
    /// - Returns: whether nothing is left to be done.
    @discardableResult
    func settle(hasDestination: Bool) -> Bool {
        if !hasDestination, unsafe !order.isBypassed, !isIdle { unsafe core.pointee.abandon(order.number) }
        forgetLine()
        freeLines()
        return isIdle
    }

    /// Once the bypass has ended.
    private func forgetLine() {
        if isIdle { unsafe order.line = DryLine() }
    }

    private func makeLine(delay: Int) {
        generation += 1
        unsafe order.line = DryLine()
        unsafe order.line.generation = generation
        unsafe order.line.delay = delay
        guard delay > 0 else { return }
        var length = 1
        while length < delay + AudioCycle.maximumFrameCount { length *= 2 }
        let line = Line(count: length * channels)
        unsafe order.line.length = length
        unsafe order.line.samples = unsafe line.samples
        // The audio thread has told of three at most, and is perhaps just taking a fourth; one waits for it.
        let place = lines.firstIndex { $0 == nil }!
        unsafe order.line.place = place
        lines[place] = line
    }

    private func freeLines() {
        let holdings = unsafe core.pointee.holdings.load(ordering: .acquiring)
        let known = holdings >> BypassPlaces.count
        for place in 0..<BypassPlaces.count {
            guard let line = lines[place], unsafe order.line.mark & 1 << place == 0 else { continue }
            // What it has just taken it has not told of yet.
            guard holdings & 1 << place == 0, line.order <= known else { continue }
            lines[place] = nil
        }
    }
}
