// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// What the audio thread holds of one port. Reached through a plain address, owned by ``PortMemory``.
struct PortCore: ~Copyable {
    // In the order in which a cycle looks at them: what every cycle of every port needs is in two cache lines.

    // Set once, before the audio thread comes.
    let state: Cell<OpaqueState>
    let inputCount: Int  // channels the block sees
    let outputCount: Int

    // Audio thread only.
    var tracker = CycleTracker()

    // Control side to audio thread. They publish no buffers: those are what PipeWire gives in the cycle. But
    // `connectionEpoch` is stored before the one that makes the port connected, which is therefore released and acquired.
    /// Any lane has a link. A filter's inputs are its only lane.
    let isLinked = Atomic<Bool>(false)
    /// A ``PortStatus``.
    let status = Atomic<UInt32>(0)
    /// Grows whenever the port is connected after it was not.
    let connectionEpoch = Atomic<UInt64>(0)

    // Audio thread to anybody. Relaxed: each stands for itself.
    let cycles = Atomic<UInt64>(0)
    let frames = Atomic<UInt64>(0)
    let sampleRate = Atomic<Int>(0)

    /// What only a receiver has. Set once.
    let receiver: Cell<ReceiverCore>?
    /// Set before the status says so, and not changed afterwards.
    var bypass: Cell<BypassCore>? = nil
    /// Of a filter that fades what it is given. Set once.
    let inputFades: Cell<InputFades>?
    /// The longest cycle of zeros, for inputs nobody is linked to. Never written. Set once.
    let silence: SampleBlock
    /// A block for each output PipeWire gave no buffer for. Set once.
    let scratch: BlockPool

    // Audio thread to anybody, where cycles are missed.
    let missedFrames = Atomic<UInt64>(0)
    let gaps = Atomic<UInt64>(0)

    /// Counts the cycle, and finds what was missed before it. `nil` for one longer than any buffer here: it counts as
    /// missed by the next.
    ///
    /// - Parameter status: the port's, as it was loaded for this cycle.
    @_noLocks
    @inline(__always)
    mutating func begin(_ cycle: GraphCycle, _ status: PortStatus) -> AudioCycle? {
        let frameCount = cycle.frameCount
        guard frameCount <= AudioCycle.maximumFrameCount else { return nil }
        let gap = tracker.advance(
            clock: cycle.clock, sampleRate: cycle.sampleRate, position: cycle.position, frameCount: frameCount,
            connectionEpoch: connectionEpoch.load(ordering: .relaxed))
        sampleRate.store(cycle.sampleRate, ordering: .relaxed)
        Self.add(1, to: cycles)
        Self.add(UInt64(truncatingIfNeeded: frameCount), to: frames)
        if gap.missedFrames > 0 {
            Self.add(UInt64(truncatingIfNeeded: gap.missedFrames), to: missedFrames)
            Self.add(1, to: gaps)
        }
        return AudioCycle(
            cycle, missedFrames: gap.missedFrames, isDiscontinuous: gap.isDiscontinuous || cycle.isDiscontinuous,
            status: status)
    }

    /// Acquire: pairs with the release of ``LivePort``, so that the epoch is seen that was published before.
    @_noLocks
    @inline(__always)
    func loadStatus() -> PortStatus { PortStatus(rawValue: status.load(ordering: .acquiring)) }

    /// Counters have one writer, so they need no locked instruction.
    @_noLocks
    @inline(__always)
    private static func add(_ value: UInt64, to counter: borrowing Atomic<UInt64>) {
        counter.store(counter.load(ordering: .relaxed) &+ value, ordering: .relaxed)
    }

    /// Gives scratch to outputs without a buffer.
    @_noLocks
    @inline(__always)
    func prepareOutputs(_ buffers: CycleBuffers) {
        for channel in 0..<outputCount where buffers[channel] == nil { giveScratch(buffers, output: channel) }
    }

    /// Rare, and kept out of the code that runs in every cycle.
    @_noLocks
    @inline(never)
    private func giveScratch(_ buffers: CycleBuffers, output: Int) {
        buffers.put(scratch.block(output, buffers.frameCount), at: output)
    }
}
