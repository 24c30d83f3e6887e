// SPDX-License-Identifier: MIT
import RealtimeKit

/// The state of the sender that plays a receiver's mix.
struct MonitorOutlet: ~Copyable, @unchecked Sendable {
    // @unchecked: the audio thread alone uses the core. A class in a struct is not touched on the audio thread.
    private let owner: MonitorMemory
    private let core: Cell<MonitorCore>

    init(_ owner: MonitorMemory) {
        self.owner = owner
        core = owner.core
    }

    @_noLocks
    mutating func play(_ cycle: AudioCycle, _ output: inout OutputChannels) { core.value.play(cycle, &output) }
}
