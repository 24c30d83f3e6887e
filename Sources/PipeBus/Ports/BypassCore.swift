// SPDX-License-Identifier: MIT
import CAudioKernels
import CRealtime
import RealtimeKit
import Synchronization

/// What the audio thread holds of a filter that is bypassed, or was.
///
/// The way there: what comes is put into the dry line; when that is full, the filter's sound is faded over to it, and
/// then the block is not called any more. The way back: the block is called, from a discontinuity on; when its latency has
/// passed and its sound is whole, it is faded over to. So neither side of a crossfade has a hole, and the latency stays.
@unsafe struct BypassCore: ~Copyable {
    // Set once.
    let inputCount: Int
    let outputCount: Int
    /// Three orders of the control side.
    let orders: UnsafeMutablePointer<BypassOrder>
    let exchange = SlotExchange()
    /// A cycle for each output, and two more.
    let scratch: UnsafeMutablePointer<Float>
    let silence: UnsafeMutablePointer<Float>
    let mixInputs: UnsafeMutablePointer<cak_input>

    // Audio thread only.
    private var slot = SlotExchange.firstRead
    private var line = unsafe DryLine()
    /// The one that is to take over, with another delay.
    private var next = unsafe DryLine()
    /// Frames of the crossfade between the two that have passed.
    private var swapped = 0
    /// Frames of the crossfade towards the dry sound: 0 is all wet, `fadeLength` all dry.
    private var dryness = 0
    private var fadeLength = 1
    /// Frames that the block must yet be called for before its sound counts.
    private var wetWait = 0
    /// The latency that was reckoned with there.
    private var wetLatency = 0
    private var isWetRunning = true
    private var isDryRunning = false

    /// The number of the order that the audio thread has, and the marks of all lines that it may use until it takes
    /// another one; see ``DryLine/mark``. One word, so that they belong together.
    let holdings = Atomic<Int>(0)
    /// The order after which all was as if there had never been a bypass. Not a flag: one that was true of the order
    /// before would be taken for an answer to this one.
    let wetOrder = Atomic<Int>(0)
    /// Who may change what else is here: nobody is at it, the audio thread in its cycle, or the control side.
    private let holder = Atomic<UInt8>(0)
    private static var nobody: UInt8 { @_noLocks get { 0 } }
    private static var audioThread: UInt8 { @_noLocks get { 1 } }
    private static var controlSide: UInt8 { @_noLocks get { 2 } }

    init(
        inputCount: Int, outputCount: Int, orders: UnsafeMutablePointer<BypassOrder>,
        scratch: UnsafeMutablePointer<Float>, silence: UnsafeMutablePointer<Float>,
        mixInputs: UnsafeMutablePointer<cak_input>
    ) {
        unsafe self.inputCount = inputCount
        unsafe self.outputCount = outputCount
        unsafe self.orders = unsafe orders
        unsafe self.scratch = unsafe scratch
        unsafe self.silence = unsafe silence
        unsafe self.mixInputs = unsafe mixInputs
    }

    // MARK: Whose turn it is

    /// Before a cycle, which ``finish(_:_:)`` ends.
    ///
    /// - Returns: false while the control side is at it, which it is only when there is nothing to do.
    @_noLocks
    func enter() -> Bool {
        unsafe holder.compareExchange(expected: Self.nobody, desired: Self.audioThread, ordering: .acquiring).exchanged
    }

    /// Ends a way back that nobody hears: without a destination the audio thread does not come here, and would never end
    /// it. Does nothing while it is here, in its last cycle.
    ///
    /// - Parameter order: the newest, which ends the bypass.
    /// - Thread: the client's.
    mutating func abandon(_ order: Int) {
        let turn = unsafe holder.compareExchange(
            expected: Self.nobody, desired: Self.controlSide, ordering: .acquiring)
        guard turn.exchanged else { return }
        unsafe line = DryLine()
        unsafe next = DryLine()
        unsafe swapped = 0
        unsafe dryness = 0
        unsafe wetWait = 0
        // The first cycle of a new connection is discontinuous in any case.
        unsafe isWetRunning = true
        unsafe isDryRunning = false
        unsafe holdings.store(order << BypassPlaces.count, ordering: .relaxed)
        unsafe wetOrder.store(order, ordering: .relaxed)
        unsafe holder.store(Self.nobody, ordering: .releasing)
    }

    // MARK: A cycle, first part

    /// Takes the newest order.
    ///
    /// - Parameter cycle: is marked where the block, if it is called, is not told what follows what it was told last.
    /// - Returns: whether the block is to be called.
    @_noLocks
    mutating func begin(_ cycle: inout AudioCycle) -> Bool {
        unsafe slot = exchange.take(slot)
        let order = unsafe orders + slot
        unsafe setFadeLength(max(cycle.sampleRate / 100, 1))
        unsafe takeLine(order)
        let isWanted = unsafe order.pointee.isBypassed
        if unsafe isWanted || dryness > 0 {
            if unsafe !isDryRunning {
                unsafe isDryRunning = true
                unsafe line.clear()
            }
        } else {
            unsafe isDryRunning = false
        }
        if cycle.isDiscontinuous { unsafe skip(cycle.missedFrames) }
        if isWanted, unsafe dryness == fadeLength {
            unsafe isWetRunning = false
            return false
        }
        if unsafe !isWetRunning {
            unsafe isWetRunning = true
            unsafe waitForWet(order.pointee.line.delay)
            cycle.breakOff()
        } else if unsafe wetWait > 0, unsafe order.pointee.line.delay != wetLatency {
            // From the beginning: a block may begin anew with another latency.
            unsafe waitForWet(order.pointee.line.delay)
        }
        return true
    }

    @_noLocks
    private mutating func waitForWet(_ latency: Int) {
        unsafe wetLatency = latency
        unsafe wetWait = latency
    }

    /// Takes over a line with another delay: at once where nothing of the old one is heard, and not before a crossfade
    /// to another one has ended.
    @_noLocks
    private mutating func takeLine(_ order: UnsafeMutablePointer<BypassOrder>) {
        let new = unsafe order.pointee.line.generation
        // Where nothing of it is heard, nor is to be, it may have been freed already.
        guard unsafe order.pointee.isBypassed || dryness > 0 else { return }
        if unsafe new != line.generation {
            if unsafe dryness == 0 {
                unsafe line = order.pointee.line
                unsafe next = DryLine()
                unsafe swapped = 0
                unsafe isDryRunning = false
            } else if unsafe swapped == 0, unsafe new != next.generation {
                unsafe next = order.pointee.line
            }
        }
        // The order's own too: its turn may come after a crossfade.
        unsafe tellHoldings(order, line.mark | next.mark | order.pointee.line.mark)
    }

    @_noLocks
    private func tellHoldings(_ order: UnsafeMutablePointer<BypassOrder>, _ marks: Int) {
        // Release: the control side frees what is not among them, when nothing of it is touched any more.
        unsafe holdings.store(order.pointee.number << BypassPlaces.count | marks, ordering: .releasing)
    }

    /// All is as if there had never been a bypass.
    @_noLocks
    private mutating func letGo() {
        unsafe line = DryLine()
        unsafe next = DryLine()
        unsafe swapped = 0
        unsafe tellHoldings(orders + slot, 0)
        // Release: the control side frees all lines then.
        unsafe wetOrder.store(orders[slot].number, ordering: .releasing)
    }

    @_noLocks
    private mutating func setFadeLength(_ length: Int) {
        guard unsafe length != fadeLength else { return }
        unsafe dryness = dryness * length / fadeLength
        unsafe swapped = min(swapped, length)
        unsafe fadeLength = length
    }

    @_noLocks
    private mutating func skip(_ missedFrames: Int) {
        // So much is quickly written; after more, or when nothing was connected, the past is not wanted.
        if missedFrames > 0, missedFrames <= AudioCycle.maximumFrameCount {
            unsafe line.skip(missedFrames, channels: outputCount, silence: silence)
            unsafe next.skip(missedFrames, channels: outputCount, silence: silence)
        } else {
            // Nor is there anything left to be faded from.
            if unsafe next.generation != 0 {
                unsafe line = next
                unsafe next = DryLine()
                unsafe swapped = 0
            }
            unsafe line.clear()
        }
    }

    // MARK: A cycle, second part

    /// Makes the outputs what they are to be. Where the block was called, its sound is in them.
    @_noLocks
    mutating func finish(_ cycle: UnsafePointer<GraphCycle>, _ frameCount: Int) {
        unsafe giveSound(cycle, frameCount)
        unsafe holder.store(Self.nobody, ordering: .releasing)
    }

    @_noLocks
    private mutating func giveSound(_ cycle: UnsafePointer<GraphCycle>, _ frameCount: Int) {
        let isWanted = unsafe orders[slot].isBypassed
        guard unsafe isDryRunning else {
            if !isWanted { unsafe letGo() }
            return
        }
        let isLineFilled = unsafe line.isFilled
        let isNextFilled = unsafe next.generation != 0 && next.isFilled
        for channel in unsafe 0..<outputCount {
            let from = unsafe dryBlock(cycle, output: channel, frameCount)
            let dry = unsafe passLines(from, channel, isNextFilled: isNextFilled, frameCount)
            unsafe blend(dry, into: cycle.pointee.wholeOutputs[channel], isWanted, isLineFilled, frameCount)
        }
        unsafe line.advance(frameCount)
        if unsafe next.generation != 0 { unsafe next.advance(frameCount) }
        if isNextFilled { unsafe advanceSwap(frameCount) }
        unsafe advanceFade(isWanted, isLineFilled, frameCount)
    }

    /// What an output is given dry: the input of its number where there are as many; the only one there is; for the only
    /// output the mean of all.
    @_noLocks
    private func dryBlock(
        _ cycle: UnsafePointer<GraphCycle>, output: Int, _ frameCount: Int
    ) -> UnsafeMutablePointer<Float> {
        let inputs = unsafe cycle.pointee.wholeInputs
        if unsafe inputCount == 1 { return unsafe inputs[0] }
        guard unsafe outputCount == 1 else {
            return unsafe output < inputCount ? inputs[output] : silence
        }
        let gain = unsafe 1 / Float(inputCount)
        for input in unsafe 0..<inputCount {
            unsafe mixInputs[input].samples = unsafe UnsafePointer(inputs[input])
            unsafe mixInputs[input].end = gain
            unsafe mixInputs[input].length = 0
        }
        let place = unsafe scratch + (outputCount + 1) * AudioCycle.maximumFrameCount
        unsafe cak_mix(
            place, mixInputs, UInt32(truncatingIfNeeded: inputCount), UInt32(truncatingIfNeeded: frameCount))
        return unsafe place
    }

    @_noLocks
    private func passLines(
        _ block: UnsafeMutablePointer<Float>, _ channel: Int, isNextFilled: Bool, _ frameCount: Int
    ) -> UnsafeMutablePointer<Float> {
        let place = unsafe scratch + channel * AudioCycle.maximumFrameCount
        let dry = unsafe line.pass(block, channel: channel, place: place, frameCount)
        guard unsafe next.generation != 0 else { return unsafe dry }
        let spare = unsafe scratch + outputCount * AudioCycle.maximumFrameCount
        let coming = unsafe next.pass(block, channel: channel, place: spare, frameCount)
        guard isNextFilled else { return unsafe dry }
        unsafe cak_crossfade(
            place, dry, coming, UInt32(truncatingIfNeeded: frameCount), UInt32(truncatingIfNeeded: swapped),
            UInt32(truncatingIfNeeded: fadeLength))
        return unsafe place
    }

    @_noLocks
    private func blend(
        _ dry: UnsafeMutablePointer<Float>, into output: UnsafeMutablePointer<Float>, _ isWanted: Bool,
        _ isLineFilled: Bool, _ frameCount: Int
    ) {
        let count = UInt32(truncatingIfNeeded: frameCount)
        let length = unsafe UInt32(truncatingIfNeeded: fadeLength)
        if isWanted {
            // Not before the line is full: until then the filter is heard.
            guard unsafe dryness > 0 || isLineFilled else { return }
            if unsafe dryness == fadeLength {
                unsafe cak_copy(output, dry, count)
            } else {
                unsafe cak_crossfade(output, output, dry, count, UInt32(truncatingIfNeeded: dryness), length)
            }
        } else if unsafe wetWait > 0, unsafe dryness == fadeLength {
            unsafe cak_copy(output, dry, count)
        } else {
            let wetness = unsafe fadeLength - dryness
            unsafe cak_crossfade(output, dry, output, count, UInt32(truncatingIfNeeded: wetness), length)
        }
    }

    @_noLocks
    private mutating func advanceSwap(_ frameCount: Int) {
        unsafe swapped += frameCount
        guard unsafe swapped >= fadeLength else { return }
        unsafe swapped = 0
        unsafe line = next
        unsafe next = DryLine()
    }

    @_noLocks
    private mutating func advanceFade(_ isWanted: Bool, _ isLineFilled: Bool, _ frameCount: Int) {
        if isWanted {
            if unsafe dryness > 0 || isLineFilled { unsafe dryness = min(dryness + frameCount, fadeLength) }
        } else if unsafe wetWait > 0, unsafe dryness == fadeLength {
            unsafe wetWait = max(wetWait - frameCount, 0)
        } else {
            unsafe dryness = max(dryness - frameCount, 0)
        }
    }
}
