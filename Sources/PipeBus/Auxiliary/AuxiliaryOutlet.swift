// SPDX-License-Identifier: MIT
import RealtimeKit

/// The state of an auxiliary input's receiver, whose block hands the mix over to the filter.
struct AuxiliaryOutlet: ~Copyable, @unchecked Sendable {
    // @unchecked: the audio thread alone uses the sound. A class in a struct is not touched on the audio thread.
    private let owner: AuxiliaryMemory
    private let sound: Cell<AuxiliarySound>

    init(_ owner: AuxiliaryMemory, _ index: Int) {
        self.owner = owner
        sound = owner.sound(index)
    }

    @_noLocks
    mutating func run(_ cycle: AudioCycle, _ mix: borrowing ReceivedMix) { sound.value.put(mix, cycle) }
}
