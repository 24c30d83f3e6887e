// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The audio thread's state of a filter with a bypass. ``BypassState`` is the state machine.
///
/// How a bypass begins and ends:
///
/// - Begin: the input is stored in a delay line. When the line is full, the output is crossfaded from the filter's
///   sound to the line's.
/// - End: the block is called again, from a discontinuity on. When its latency has passed and its sound is whole, the
///   output is crossfaded to it.
///
/// So neither side of a crossfade has a gap, and the latency stays.
struct BypassCore: ~Copyable {
    // Set once.
    private let routing: BypassRouting
    /// A block for each output, and a spare one.
    private let scratch: BlockPool
    private let silence: SampleBlock

    // Audio thread only.
    private var requests: TripleBuffer<BypassRequest>.Reader
    private var state = BypassState.wet
    private var lines = BypassLines()
    /// The position of the crossfade to the dry sound, in frames: 0 is all wet, `fadeLength` all dry.
    private var dryFadePosition = 0
    private var fadeLength = 1
    /// Number of frames until the block's sound is whole.
    private var wetWait = 0
    /// The latency from which `wetWait` was computed.
    private var wetLatency = 0

    /// Which thread may change the parts above.
    let ownership = CycleOwnership()
    /// The number of the newest request that the audio thread took, and the marks of all lines that it may use until it
    /// takes another; see ``BypassLine/mark``.
    ///
    /// One word, so that the two are published together.
    let holdings = Atomic<Int>(0)
    /// The number of the request after which the core was reset to wet.
    ///
    /// It is no flag: a flag that was true of an earlier request would be taken for the answer to this one.
    let wetRequest = Atomic<Int>(0)

    init(
        _ routing: BypassRouting, requests: TripleBuffer<BypassRequest>.Reader, scratch: BlockPool, silence: SampleBlock
    ) {
        self.routing = routing
        self.requests = requests
        self.scratch = scratch
        self.silence = silence
    }

    /// Ends a bypass at a filter without a destination: the audio thread does not run the filter then, and would never
    /// end it.
    ///
    /// - Precondition: the control side has the ``ownership``. A call that acquired it by itself would be access to the
    ///   whole core beside the audio thread's.
    /// - Parameter number: of the newest request, which ends the bypass.
    /// - Thread: the client's.
    mutating func abandon(_ number: Int) {
        // The first cycle of a new connection is discontinuous in any case.
        state.handle(.reset)
        lines = BypassLines()
        dryFadePosition = 0
        wetWait = 0
        holdings.store(number << BypassSlots.count, ordering: .relaxed)
        wetRequest.store(number, ordering: .relaxed)
    }

    // MARK: A cycle, first part

    /// Takes the newest request, and decides whether the block is called.
    ///
    /// - Parameters:
    ///   - cycle: is marked as discontinuous where the block, if it is called, has missed earlier cycles.
    ///   - isAfterPause: whether the stored sound is of another time.
    /// - Returns: whether the block is to be called.
    @_noLocks
    mutating func begin(_ cycle: inout AudioCycle, isAfterPause: Bool) -> Bool {
        requests.take()
        setFadeLength(max(cycle.sampleRate / 100, 1))
        takeLine()
        let wasDry = !state.callsBlock
        let hasMoved = state.handle(requests.value.isBypassed ? .bypassRequested : .bypassReleased)
        if hasMoved, case .filling = state { lines.begin() }
        if dryFadePosition == fadeLength { state.handle(.fadedToDry) }
        if dryFadePosition == 0 { state.handle(.fadedToWet) }
        // A discontinuity alone is none of the line's: a cycle that begins late follows on the last one all the same.
        if isAfterPause { lines.forget() } else if cycle.missedFrames > 0 { skip(cycle.missedFrames) }
        guard state.callsBlock else { return false }
        let latency = requests.value.line.delay
        if wasDry {
            waitForWet(latency)
            cycle.markDiscontinuous()
        } else if wetWait > 0, latency != wetLatency {
            // Counted again from the beginning: the block may have started again with another latency.
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
        // Where none of the line's sound is heard, now or later, the line may have been freed already.
        guard requests.value.isBypassed || dryFadePosition > 0 else { return }
        let line = requests.value.line
        lines.take(line, isHeard: dryFadePosition > 0)
        // The request's own line is reported too: it may be used after a crossfade.
        reportHoldings(lines.marks | line.mark)
    }

    @_noLocks
    private func reportHoldings(_ marks: Int) {
        // Release: the control side frees the lines that are not reported, once the audio thread does not touch them
        // any more.
        holdings.store(requests.value.number << BypassSlots.count | marks, ordering: .releasing)
    }

    /// Resets the core to wet, as if there had never been a bypass.
    @_noLocks
    private mutating func reset() {
        lines = BypassLines()
        reportHoldings(0)
        // Release: the control side frees all lines then.
        wetRequest.store(requests.value.number, ordering: .releasing)
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
        // Up to a cycle is quickly stored. After a longer gap the line is reset.
        if missedFrames <= AudioCycle.maximumFrameCount {
            lines.skip(silence.prefix(missedFrames), channels: routing.outputCount)
        } else {
            lines.forget()
        }
    }

    // MARK: A cycle, second part

    /// Puts the outputs together. Where the block was called, its sound is in them.
    @_noLocks
    mutating func finish(_ cycle: GraphCycle) {
        makeOutputs(cycle)
        ownership.release()
    }

    @_noLocks
    private mutating func makeOutputs(_ cycle: GraphCycle) {
        if case .wet = state { return reset() }
        let frameCount = cycle.frameCount
        if lines.current.isFilled { state.handle(.lineFilled) }
        if wetWait == 0 { state.handle(.wetCompleted) }
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

    /// Puts one output together, by the state.
    ///
    /// - Parameter output: the block's sound, if it was called.
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
