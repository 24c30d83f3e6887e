// SPDX-License-Identifier: MIT
public import CBenchmarkPeer

/// The account of cycles that the C programs keep as well. Inlined into the programs, as the C functions are.
@safe public struct CycleAccount: @unchecked Sendable {
    // @unchecked: it is written by the audio thread only, with atomics, and never freed.
    public let peer: UnsafeMutablePointer<peer>

    public init() { unsafe peer = peer_create() }

    @inlinable
    public func beginCycle(frameCount: Int) {
        unsafe peer_begin_cycle(peer, Int32(truncatingIfNeeded: frameCount))
    }

    /// Reports the result of a cycle.
    @inlinable
    public func endCycle(result: Float) { unsafe peer_end_cycle(peer, result) }
}
