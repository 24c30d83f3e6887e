// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

// What a reader knows of its port. Only the core's atomics are looked at: the rest is the audio thread's.
extension ReaderCore {
    /// Whether the port is linked, and has been since the connection of this number.
    @_noLocks
    func hasBeenLinked(since epoch: UInt64) -> Bool {
        // Acquire: pairs with the release in ``LivePort``.
        port.value.isLinked.load(ordering: .acquiring) && port.value.connectionEpoch.load(ordering: .relaxed) == epoch
    }

    /// The graph's rate, as far as is known, in hertz; 0 if it is not.
    var expectedRate: Int { @_noLocks get { port.value.sampleRate.load(ordering: .relaxed) } }

    /// The rate of the graph's frames that are read, in hertz: that of the sound, or without sound the one that is expected; 0 if
    /// neither is known.
    var presentRate: Int {
        @_noLocks get {
            if isRunning { return sampleRate }
            let expected = expectedRate
            return expected > 0 ? expected : sampleRate
        }
    }

    /// The length of the next cycle, as far as is announced, in frames; 0 if it is not.
    var expectedCycle: Int { @_noLocks get { port.value.announcedQuantum.load(ordering: .relaxed) } }
}
