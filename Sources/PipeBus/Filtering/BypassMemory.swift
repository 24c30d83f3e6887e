// SPDX-License-Identifier: MIT
import CAudioKernels
import RealtimeKit
import Synchronization

/// Owns the audio thread's memory of a filter's bypass, and gives the control side access to it.
///
/// It is made when a filter is bypassed for the first time: most filters never are.
///
/// - Thread: the client's.
@safe final class BypassMemory {
    private let owned: OwnedCells<BypassCore>
    private let requests: TripleBuffer<BypassRequest>
    private let samples: OwnedCells<Float>
    private let mixInputs: OwnedCells<cak_input>
    private let channels: Int
    private var writer: TripleBuffer<BypassRequest>.Writer
    private var request = BypassRequest()
    private var generation = 0
    /// The lines, by slot.
    private var lines: [Line?] = Array(repeating: nil, count: BypassSlots.count)

    /// A line's memory.
    private struct Line {
        var storage: DelayStorage
        /// The newest request with this line that the audio thread has taken; 0 if none.
        var request = 0
    }

    /// - Parameter silence: a block of zeros of the longest cycle. It must outlive this object.
    init(inputCount: Int, outputCount: Int, silence: SampleBlock) {
        cak_prepare()
        channels = outputCount
        requests = TripleBuffer { _ in BypassRequest() }
        writer = requests.makeWriter()
        samples = OwnedCells(repeating: 0, count: BlockPool.sampleCount(blocks: outputCount + 2))
        unsafe mixInputs = OwnedCells(repeating: cak_input(), count: inputCount)
        // The blocks: one for each output, a spare one for the lines, and one for the routing.
        let routing = BypassRouting(
            inputCount: inputCount, outputCount: outputCount, place: BlockPool(samples.cells, from: outputCount + 1),
            mixInputs: unsafe MixInputs(mixInputs.cells), silence: silence)
        owned = OwnedCells(
            BypassCore(routing, requests: requests.makeReader(), scratch: BlockPool(samples.cells), silence: silence))
    }

    var core: Cell<BypassCore> { owned.cell }

    /// Number of delay lines that exist.
    var lineCount: Int { lines.count { $0 != nil } }

    var isBypassed: Bool { request.isBypassed }

    /// Whether the audio thread no longer uses the memory.
    var isIdle: Bool { !request.isBypassed && core.value.wetRequest.load(ordering: .acquiring) == request.number }

    /// - Parameter latency: the filter's latency, in frames.
    func set(isBypassed: Bool, latency: Int) {
        forgetLine()
        let last = request
        request.number += 1
        request.isBypassed = isBypassed
        // The crossfade back to wet needs a line, if it has not ended yet.
        let needsLine = isBypassed || request.line.generation != 0
        if needsLine, request.line.generation == 0 || request.line.delay != latency { makeLine(delay: latency) }
        writer.value = request
        // A request that was replaced is never taken: the audio thread may not have run for a long time.
        if writer.publish(), last.line.mark != 0 { lines[last.line.slot]?.request = last.number }
        freeLines()
    }

    /// Frees the lines that the audio thread no longer uses.
    ///
    /// - Parameter runs: whether the port's status, as published before this call, lets the audio thread run
    ///   the filter.
    /// - Returns: whether no work is left.
    @discardableResult
    func settle(runs: Bool) -> Bool {
        // Not while the audio thread is in its last cycle.
        if !runs, !request.isBypassed, !isIdle, core.value.ownership.acquireForControl() {
            core.value.abandon(request.number)
            core.value.ownership.release()
        }
        forgetLine()
        freeLines()
        return isIdle
    }

    /// Forgets the newest request's line, once the bypass has ended.
    private func forgetLine() {
        if isIdle { request.line = BypassLine() }
    }

    private func makeLine(delay: Int) {
        generation += 1
        request.line = BypassLine()
        request.line.generation = generation
        request.line.delay = delay
        guard delay > 0 else { return }
        let storage = DelayStorage(frames: delay + AudioCycle.maximumFrameCount, channels: channels)
        request.line.line = DelayLine(storage.memory)
        // The audio thread has reported three lines at most, may be taking a fourth, and a fifth waits for it.
        let slot = lines.firstIndex { $0 == nil }!
        request.line.slot = slot
        lines[slot] = Line(storage: storage)
    }

    private func freeLines() {
        let holdings = core.value.holdings.load(ordering: .acquiring)
        let known = holdings >> BypassSlots.count
        for slot in 0..<BypassSlots.count {
            guard let line = lines[slot], request.line.mark & 1 << slot == 0 else { continue }
            // A line that it has just taken is not reported yet.
            guard holdings & 1 << slot == 0, line.request <= known else { continue }
            lines[slot] = nil
        }
    }
}
