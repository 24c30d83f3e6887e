// SPDX-License-Identifier: MIT
import Synchronization

/// Whose turn it is to change a ``BypassCore``: nobody's, the audio thread's in its cycle, or the control side's.
///
/// Neither waits for the other: the second one does without.
struct BypassTurn: ~Copyable, Sendable {
    private let holder = Atomic<UInt8>(0)
    private static var nobody: UInt8 { @_noLocks get { 0 } }
    private static var audioThread: UInt8 { @_noLocks get { 1 } }
    private static var controlSide: UInt8 { @_noLocks get { 2 } }

    @_noLocks
    init() {}

    /// For a cycle. ``end()`` ends it.
    ///
    /// - Returns: false while the control side is at it, which it is only when there is nothing to do.
    @_noLocks
    func takeForCycle() -> Bool {
        holder.compareExchange(expected: Self.nobody, desired: Self.audioThread, ordering: .acquiring).exchanged
    }

    /// For the control side. ``end()`` ends it.
    ///
    /// - Returns: false while the audio thread is in a cycle.
    func takeForControl() -> Bool {
        holder.compareExchange(expected: Self.nobody, desired: Self.controlSide, ordering: .acquiring).exchanged
    }

    @_noLocks
    func end() { holder.store(Self.nobody, ordering: .releasing) }
}
