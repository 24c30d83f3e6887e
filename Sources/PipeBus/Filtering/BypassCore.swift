// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// What the audio thread holds of a filter that is bypassed, or was. ``BypassState`` says what is heard when.
///
/// When the bypass begins, what comes goes into a delay line first; when that is full, the filter's sound is faded over to
/// it. When the bypass ends, the block is called, from a discontinuity on; when its latency has passed and its sound is
/// whole, it is faded over to. So neither side of a crossfade has a hole, and the latency stays.
struct BypassCore: ~Copyable {
    // Set once.
    private let routing: BypassRouting
    /// A block for each output, and one more.
    private let scratch: BlockPool
    private let silence: SampleBlock

    // Audio thread only.
    private var orders: TripleBuffer<BypassOrder>.Reader
    private var state = BypassState.wet
    private var lines = BypassLines()
    /// Where the crossfade to the dry sound stands, in frames: 0 is all wet, `fadeLength` all dry.
    private var dryFadePosition = 0
    private var fadeLength = 1
    /// Frames that the block must yet be called for before its sound counts.
    private var wetWait = 0
    /// The latency that was reckoned with there.
    private var wetLatency = 0

    /// Whose turn it is to change these.
    let turn = BypassTurn()
    /// The number of the order that the audio thread has, and the marks of all lines that it may use until it takes
    /// another one; see ``BypassLine/mark``. One word, so that they belong together.
    let holdings = Atomic<Int>(0)
    /// The order after which all was as if there had never been a bypass. Not a flag: one that was true of the order
    /// before would be taken for an answer to this one.
    let wetOrder = Atomic<Int>(0)

    init(
        _ routing: BypassRouting, orders: TripleBuffer<BypassOrder>.Reader, scratch: BlockPool, silence: SampleBlock
    ) {
        self.routing = routing
        self.orders = orders
        self.scratch = scratch
        self.silence = silence
    }

    /// Ends a bypass that nobody hears the end of: without a destination the audio thread does not come here, and would
    /// never end it. Does nothing while it is here, in its last cycle.
    ///
    /// - Parameter order: the newest, which ends the bypass.
    /// - Thread: the client's.
    mutating func abandon(_ order: Int) {
        guard turn.takeForControl() else { return }
        // The first cycle of a new connection is discontinuous in any case.
        state.handle(.reset)
        lines = BypassLines()
        dryFadePosition = 0
        wetWait = 0
        holdings.store(order << BypassPlaces.count, ordering: .relaxed)
        wetOrder.store(order, ordering: .relaxed)
        turn.end()
    }

    // MARK: A cycle, first part

    /// Takes the newest order.
    ///
    /// - Parameter cycle: is marked as discontinuous where the block, if it is called, has missed what was before.
    /// - Returns: whether the block is to be called.
    @_noLocks
    mutating func begin(_ cycle: inout AudioCycle) -> Bool {
        orders.take()
        setFadeLength(max(cycle.sampleRate / 100, 1))
        takeLine()
        let wasDry = !state.callsBlock
        let hasMoved = state.handle(orders.value.isBypassed ? .isWanted : .isUnwanted)
        if hasMoved, case .filling = state { lines.begin() }
        if dryFadePosition == fadeLength { state.handle(.allDry) }
        if dryFadePosition == 0 { state.handle(.allWet) }
        if cycle.isDiscontinuous { skip(cycle.missedFrames) }
        guard state.callsBlock else { return false }
        let latency = orders.value.line.delay
        if wasDry {
            waitForWet(latency)
            cycle.markDiscontinuous()
        } else if wetWait > 0, latency != wetLatency {
            // From the beginning: a block may start again with another latency.
            waitForWet(latency)
        }
        return true
    }

    @_noLocks
    private mutating func waitForWet(_ latency: Int) {
        wetLatency = latency
        wetWait = latency
    }

    @_noLocks
    private mutating func takeLine() {
        // Where nothing of it is heard, nor is to be, it may have been freed already.
        guard orders.value.isBypassed || dryFadePosition > 0 else { return }
        let line = orders.value.line
        lines.take(line, isHeard: dryFadePosition > 0)
        // The order's own too: its turn may come after a crossfade.
        reportHoldings(lines.marks | line.mark)
    }

    @_noLocks
    private func reportHoldings(_ marks: Int) {
        // Release: the control side frees what is not among them, when nothing of it is touched any more.
        holdings.store(orders.value.number << BypassPlaces.count | marks, ordering: .releasing)
    }

    /// All is as if there had never been a bypass.
    @_noLocks
    private mutating func reset() {
        lines = BypassLines()
        reportHoldings(0)
        // Release: the control side frees all lines then.
        wetOrder.store(orders.value.number, ordering: .releasing)
    }

    @_noLocks
    private mutating func setFadeLength(_ length: Int) {
        guard length != fadeLength else { return }
        dryFadePosition = dryFadePosition * length / fadeLength
        lines.limitFade(to: length)
        fadeLength = length
    }

    @_noLocks
    private mutating func skip(_ missedFrames: Int) {
        // So much is quickly written; after more, or when nothing was connected, the past is not wanted.
        if missedFrames > 0, missedFrames <= AudioCycle.maximumFrameCount {
            lines.skip(silence.prefix(missedFrames), channels: routing.outputCount)
        } else {
            lines.forget()
        }
    }

    // MARK: A cycle, second part

    /// Makes the outputs what they are to be. Where the block was called, its sound is in them.
    @_noLocks
    mutating func finish(_ cycle: GraphCycle) {
        giveSound(cycle)
        turn.end()
    }

    @_noLocks
    private mutating func giveSound(_ cycle: GraphCycle) {
        if case .wet = state { return reset() }
        let frameCount = cycle.frameCount
        if lines.current.isFilled { state.handle(.lineFilled) }
        if wetWait == 0 { state.handle(.wetIsWhole) }
        for channel in 0..<routing.outputCount {
            let dry = lines.pass(
                routing.block(cycle.inputs, output: channel), channel, place: scratch.block(channel, frameCount),
                spare: scratch.block(routing.outputCount, frameCount), fadeLength: fadeLength)
            blend(dry, into: cycle.outputs.whole(channel))
        }
        lines.advance(by: frameCount, fadeLength: fadeLength)
        switch state {
        case .toDry: dryFadePosition = min(dryFadePosition + frameCount, fadeLength)
        case .waitingForWet: wetWait = max(wetWait - frameCount, 0)
        case .toWet: dryFadePosition = max(dryFadePosition - frameCount, 0)
        case .wet, .filling, .dry: break
        }
    }

    /// Makes an output what the state says.
    ///
    /// - Parameter output: what the block gave, if it was called.
    @_noLocks
    private func blend(_ dry: SampleBlock, into output: SampleBlock) {
        switch state {
        case .wet, .filling: break
        case .toDry: output.crossfade(from: output, to: dry, position: dryFadePosition, length: fadeLength)
        case .dry, .waitingForWet: output.copy(from: dry)
        case .toWet: output.crossfade(from: dry, to: output, position: fadeLength - dryFadePosition, length: fadeLength)
        }
    }
}
