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
    private var lines: [Int: UnsafeMutablePointer<Float>] = unsafe [:]

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
        unsafe lines.values.forEach { unsafe $0.deallocate() }
    }

    /// Delay lines that are there.
    var lineCount: Int { unsafe lines.count }

    var isBypassed: Bool { unsafe order.isBypassed }

    /// The audio thread has nothing to do with it any more.
    var isIdle: Bool { unsafe !order.isBypassed && core.pointee.wetOrder.load(ordering: .relaxed) == order.number }

    /// - Parameter latency: the filter's, in frames.
    func set(isBypassed: Bool, latency: Int) {
        unsafe order.number += 1
        unsafe order.isBypassed = isBypassed
        if unsafe order.line.generation == 0 || order.line.delay != latency { makeLine(delay: latency) }
        unsafe core.pointee.orders[slot] = unsafe order
        unsafe slot = core.pointee.exchange.publish(slot)
        freeOldLines()
    }

    private func makeLine(delay: Int) {
        let generation = unsafe order.line.generation + 1
        unsafe order.line = DryLine()
        unsafe order.line.generation = generation
        unsafe order.line.delay = delay
        guard delay > 0 else { return }
        var length = 1
        while length < delay + AudioCycle.maximumFrameCount { length *= 2 }
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: length * channels)
        // Written to, so that the audio thread is the first on no page.
        unsafe samples.initialize(repeating: 0, count: length * channels)
        unsafe order.line.length = length
        unsafe order.line.samples = unsafe samples
        unsafe lines[generation] = unsafe samples
    }

    /// What the audio thread has left behind. It may hold the newest and the one in use, and those between that it was
    /// given and has not dropped yet.
    private func freeOldLines() {
        let oldest = unsafe core.pointee.lineInUse.load(ordering: .acquiring)
        unsafe lines.filter { unsafe $0.key < oldest }.forEach { unsafe $0.value.deallocate() }
        unsafe lines = lines.filter { unsafe $0.key >= oldest }
    }
}
