// SPDX-License-Identifier: MIT
import CRealtime
import Synchronization

/// The user's state, whatever it is. The audio thread only passes its address on, and an `inout` of any type is one.
struct OpaqueState {}

/// What the audio thread holds of one port. Reached through a plain pointer, owned by ``PortMemory``.
@unsafe struct PortCore: ~Copyable {
    // Set once, before the audio thread comes.
    let state: UnsafeMutableRawPointer
    let inputCount: Int  // channels the block sees
    let outputCount: Int
    /// One cycle of zeros, for inputs nobody is linked to. Never written.
    let silence: UnsafeMutablePointer<Float>
    /// One cycle for each output PipeWire gave no buffer for.
    let scratch: UnsafeMutablePointer<Float>
    /// What only a receiver has.
    let receiver: UnsafeMutablePointer<ReceiverCore>?

    /// Of a filter that fades what it is given.
    var inputFades: UnsafeMutablePointer<InputFades>? = nil
    /// Set before the status says so, and not changed afterwards.
    var bypass: UnsafeMutablePointer<BypassCore>? = nil

    // Audio thread only.
    var tracker = CycleTracker()

    // Control side to audio thread. They publish no buffers: those are what PipeWire gives in the cycle. But `episode` is
    // stored before the one that makes the port connected, which is therefore released and acquired.
    /// Bit n: lane n has a link. A filter's inputs are its lane 0.
    let linkedLanes = Atomic<UInt64>(0)
    /// A ``PortStatus``.
    let status = Atomic<UInt32>(0)
    /// Grows whenever the port is connected after it was not.
    let episode = Atomic<UInt64>(0)

    // Audio thread to anybody. Relaxed: each stands for itself.
    let cycles = Atomic<UInt64>(0)
    let frames = Atomic<UInt64>(0)
    let sampleRate = Atomic<Int>(0)
    let missedFrames = Atomic<UInt64>(0)
    let gaps = Atomic<UInt64>(0)

    /// Takes note of the cycle and tells what it means. `nil` for one longer than any buffer here: it counts as missed
    /// by the next.
    ///
    /// - Parameter status: the port's, as it was loaded for this cycle.
    @_noLocks
    @inline(__always)
    mutating func begin(_ cycle: UnsafePointer<GraphCycle>, _ status: PortStatus) -> AudioCycle? {
        let frameCount = unsafe cycle.pointee.frameCount
        guard frameCount <= AudioCycle.maximumFrameCount else { return nil }
        let gap = unsafe tracker.advance(
            clock: cycle.pointee.clock, sampleRate: cycle.pointee.sampleRate, position: cycle.pointee.position,
            frameCount: frameCount, episode: episode.load(ordering: .relaxed))
        unsafe sampleRate.store(cycle.pointee.sampleRate, ordering: .relaxed)
        unsafe Self.add(1, to: cycles)
        unsafe Self.add(UInt64(truncatingIfNeeded: frameCount), to: frames)
        if gap.missedFrames > 0 {
            unsafe Self.add(UInt64(truncatingIfNeeded: gap.missedFrames), to: missedFrames)
            unsafe Self.add(1, to: gaps)
        }
        return unsafe AudioCycle(
            cycle, missedFrames: gap.missedFrames,
            isDiscontinuous: gap.isDiscontinuous || cycle.pointee.is_discontinuous, status: status)
    }

    /// Acquire: pairs with the release of ``LivePort``, so that the episode is seen that was told before.
    @_noLocks
    @inline(__always)
    func loadStatus() -> PortStatus { unsafe PortStatus(rawValue: status.load(ordering: .acquiring)) }

    /// Counters have one writer, so they need no locked instruction.
    @_noLocks
    @inline(__always)
    private static func add(_ value: UInt64, to counter: borrowing Atomic<UInt64>) {
        counter.store(counter.load(ordering: .relaxed) &+ value, ordering: .relaxed)
    }

    /// Gives scratch to outputs without a buffer. All are silent then: PipeWire's are when they come.
    @_noLocks
    @inline(__always)
    func prepareOutputs(_ cycle: UnsafePointer<GraphCycle>) {
        for channel in unsafe 0..<outputCount where unsafe cycle.pointee.outputs[channel] == nil {
            unsafe giveScratch(cycle, output: channel)
        }
    }

    /// Rare, and kept out of the code that runs in every cycle.
    @_noLocks
    @inline(never)
    private func giveScratch(_ cycle: UnsafePointer<GraphCycle>, output: Int) {
        let buffer = unsafe scratch + output * AudioCycle.maximumFrameCount
        unsafe crt_clear(buffer, UInt64(truncatingIfNeeded: cycle.pointee.frameCount))
        unsafe cycle.pointee.outputs[output] = unsafe buffer
    }
}
