// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import Synchronization

/// The audio thread's state of one port. Reached through a plain address, owned by ``PortMemory``.
struct PortCore: ~Copyable {
    // In the order in which a cycle reads them: the values of every cycle of every port are in two cache lines.

    /// Set before the audio thread runs the node.
    var timeline: Cell<GraphTimeline>
    // Set once, before the audio thread starts.
    let state: Cell<OpaqueState>
    let blockInputCount: Int  // channels the block sees: of a receiver those of one lane
    let outputCount: Int

    // Audio thread only.
    var tracker = CycleTracker()
    /// The position up to which the port recovers from its last xrun.
    var recoveryEnd: UInt64 = 0
    /// The time that the node's callback takes, which C measures. Set once.
    let load: Cell<crt_load>

    // From the control side to the audio thread. These values publish no buffers: PipeWire gives those in the cycle.
    // But `connectionEpoch` is stored before the status that makes the port connected. So that status is released and
    // acquired.
    /// Whether any lane has a link; a filter's inputs are its only lane. Always true of a receiver that keeps running.
    let isLinked = Atomic<Bool>(false)
    /// A ``PortStatus``.
    let status = Atomic<UInt32>(0)
    /// Incremented whenever the port is connected after a time without connections.
    let connectionEpoch = Atomic<UInt64>(0)

    // From the audio thread to any thread. Relaxed: no other value is published with them.
    let cycles = Atomic<UInt64>(0)
    let frames = Atomic<UInt64>(0)
    /// Also set by the control side while the node does not run.
    let sampleRate = Atomic<Int>(0)
    /// The length of cycles that is announced for the next one, in frames; 0 while it is unknown. The control side alone stores it.
    let announcedQuantum = Atomic<Int>(0)
    let xrunCount = Atomic<UInt64>(0)

    /// The part of a receiver. Set once.
    let receiver: Cell<ReceiverCore>?
    /// The part of a filter with a bypass. Set before the status shows a bypass, and not changed afterwards.
    var bypass: Cell<BypassCore>? = nil
    /// The fades of a filter's input. Set once.
    let inputFades: Cell<FilterInputFades>?
    /// The part of a sender or filter whose block has a fixed size. Set before the audio thread runs the node.
    var senderBlocks: Cell<SenderBlocks>? = nil
    var filterBlocks: Cell<FilterBlocks>? = nil
    /// The part of a filter with auxiliary inputs. Set before the audio thread runs the node.
    var auxiliaries: Cell<AuxiliaryCore>? = nil
    /// A block of zeros of the longest cycle, for inputs without a link. Never written. Set once.
    let silence: SampleBlock
    /// A block for each output without a buffer from PipeWire. Set once.
    let scratch: BlockPool

    // From the audio thread to any thread, written where cycles are missed.
    let missedFrames = Atomic<UInt64>(0)
    /// Set once.
    let xruns: XrunRing
    /// The part of a filter of which sources were exchanged. Set before the status shows that, and not changed afterwards.
    var tap: Cell<InputTapCore>? = nil

    /// Counts the cycle, and finds the gap before it. `nil` for a cycle longer than any buffer: the next cycle counts
    /// it as missed.
    ///
    /// - Parameter status: the port's status, as loaded for this cycle.
    @_noLocks
    @inline(__always)
    mutating func begin(_ cycle: GraphCycle, _ status: PortStatus) -> AudioCycle? {
        let frameCount = cycle.frameCount
        guard frameCount <= AudioCycle.maximumFrameCount else { return nil }
        let moment = timeline.value.advance(to: cycle)
        let gap = tracker.advance(
            to: moment, nanoseconds: cycle.nanoseconds, sampleRate: cycle.sampleRate, frameCount: frameCount,
            connectionEpoch: connectionEpoch.load(ordering: .relaxed))
        sampleRate.store(cycle.sampleRate, ordering: .relaxed)
        Self.add(1, to: cycles)
        Self.add(UInt64(truncatingIfNeeded: frameCount), to: frames)
        if gap.missedFrames > 0 { noteXrun(of: gap.missedFrames, before: moment, cycle) }
        return AudioCycle(
            cycle, at: moment, missedFrames: gap.missedFrames,
            isDiscontinuous: gap.isDiscontinuous || cycle.isDiscontinuous,
            status: moment.position < recoveryEnd ? status.recovering : status,
            load: PortLoad(mean: load.value.mean, maximum: load.value.peak),
            xrunCount: UInt32(truncatingIfNeeded: xrunCount.load(ordering: .relaxed)))
    }

    /// Whether a cycle begins where the port's last one ended.
    @_noLocks
    mutating func isContinued(by cycle: GraphCycle) -> Bool {
        guard cycle.frameCount <= AudioCycle.maximumFrameCount else { return false }
        return tracker.isContinued(
            by: timeline.value.advance(to: cycle), nanoseconds: cycle.nanoseconds, sampleRate: cycle.sampleRate)
    }

    /// Rare, and kept out of the code that runs in every cycle.
    @_noLocks
    @inline(never)
    private mutating func noteXrun(of frames: Int, before moment: GraphMoment, _ cycle: GraphCycle) {
        let missed = UInt64(truncatingIfNeeded: frames)
        Self.add(missed, to: missedFrames)
        recoveryEnd = moment.position &+ UInt64(truncatingIfNeeded: cycle.rate)
        let number = xrunCount.load(ordering: .relaxed)
        xruns.put(
            XrunRing.Entry(
                position: moment.position &- missed, missedFrames: missed, nanoseconds: cycle.nanoseconds,
                clock: moment.clock, rate: cycle.rate, isOwn: load.value.wasOverrun), number: number)
        // Released: a reader of the count finds the entry.
        xrunCount.store(number &+ 1, ordering: .releasing)
    }

    /// Acquire: pairs with the release in ``LivePort``, so that the epoch published before is visible.
    @_noLocks
    @inline(__always)
    func loadStatus() -> PortStatus { PortStatus(rawValue: status.load(ordering: .acquiring)) }

    /// Counters have one writer, so they need no locked instruction.
    @_noLocks
    @inline(__always)
    private static func add(_ value: UInt64, to counter: borrowing Atomic<UInt64>) {
        counter.store(counter.load(ordering: .relaxed) &+ value, ordering: .relaxed)
    }

    /// Puts scratch blocks in place of missing output buffers.
    @_noLocks
    @inline(__always)
    func prepareOutputs(_ buffers: CycleBuffers) {
        for channel in 0..<outputCount where buffers[channel] == nil { provideScratch(buffers, output: channel) }
    }

    /// Puts a scratch block in place of an output for which PipeWire gave no buffer.
    ///
    /// Rare, and kept out of the code that runs in every cycle.
    @_noLocks
    @inline(never)
    private func provideScratch(_ buffers: CycleBuffers, output: Int) {
        buffers.put(scratch.block(output, buffers.frameCount), at: output)
    }
}
