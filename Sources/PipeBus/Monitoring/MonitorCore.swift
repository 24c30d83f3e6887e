// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// What a receiver and the sender that plays its mix share. Reached through a plain address, owned by ``MonitorMemory``.
///
/// The receiver stores the mix of each cycle, and the sender takes it in the same cycle: an order puts it behind the receiver.
///
/// - Thread: audio, but for what says otherwise.
struct MonitorCore: ~Copyable {
    /// Which of the nodes may use ``sound``: they may be processed by two threads if PipeWire is configured so.
    private let ownership = CycleOwnership()
    /// Behind an address, because a change of a part is access to the whole core, which the other thread may be using.
    private let sound: Cell<MonitorSound>

    /// Whether the mix is to be heard. Otherwise it fades out, and stays silent.
    ///
    /// - Thread: written by the control side.
    let isWanted = Atomic<Bool>(false)
    /// Whether the mix is given at half its level.
    ///
    /// - Thread: written by the control side, while nothing is heard.
    let isHalved = Atomic<Bool>(false)
    /// Whether the sender was silent, and not wanted, in its last cycle.
    ///
    /// - Thread: read by any thread.
    let isSilent = Atomic<Bool>(true)

    @_noLocks
    init(_ sound: Cell<MonitorSound>) { self.sound = sound }

    /// Stores the mix of a receiver's cycle, once its lanes are processed.
    @_noLocks
    func store(_ receiver: Cell<ReceiverCore>, _ cycle: AudioCycle) {
        guard ownership.acquireForCycle() else { return }
        sound.value.store(receiver, cycle, isHalved: isHalved.load(ordering: .relaxed))
        ownership.release()
    }

    /// Gives the mix of this cycle to the sender.
    @_noLocks
    func play(_ cycle: AudioCycle, _ output: inout OutputChannels) {
        guard ownership.acquireForCycle() else { return }
        let isWanted = isWanted.load(ordering: .relaxed)
        let wasSilent = sound.value.play(cycle, &output, isWanted: isWanted)
        isSilent.store(!isWanted && wasSilent, ordering: .relaxed)
        ownership.release()
    }
}
