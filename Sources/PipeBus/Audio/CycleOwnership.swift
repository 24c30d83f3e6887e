// SPDX-License-Identifier: MIT
import Synchronization

/// Which thread may change some memory now: none, the audio thread in its cycle, or the control side.
///
/// Neither thread waits for the other. The second one skips its work.
struct CycleOwnership: ~Copyable, Sendable {
    private let holder = Atomic<UInt8>(0)
    private static var noThread: UInt8 { @_noLocks get { 0 } }
    private static var audioThread: UInt8 { @_noLocks get { 1 } }
    private static var controlSide: UInt8 { @_noLocks get { 2 } }

    @_noLocks
    init() {}

    /// Acquires the memory for a cycle. ``release()`` gives it back.
    ///
    /// - Returns: false while the control side has the memory.
    @_noLocks
    func acquireForCycle() -> Bool {
        holder.compareExchange(expected: Self.noThread, desired: Self.audioThread, ordering: .acquiring).exchanged
    }

    /// Acquires the memory for the control side. ``release()`` gives it back.
    ///
    /// - Returns: false while the audio thread is in a cycle.
    @_noLocks
    func acquireForControl() -> Bool {
        holder.compareExchange(expected: Self.noThread, desired: Self.controlSide, ordering: .acquiring).exchanged
    }

    @_noLocks
    func release() { holder.store(Self.noThread, ordering: .releasing) }
}
