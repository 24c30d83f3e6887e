// SPDX-License-Identifier: MIT
import CAudioKernels
import RealtimeKit
import Synchronization

/// Owns the audio thread's memory of a filter's auxiliary inputs. The filter and the receivers hold it.
@safe final class AuxiliaryMemory: @unchecked Sendable {
    // @unchecked: as ``PortMemory``. The sounds and the core are used by the one thread that processes the app's ports.
    /// Number of channels of all auxiliary inputs.
    let channelCount: Int
    private let samples: OwnedCells<Float>
    private let bases: OwnedCells<UnsafeMutablePointer<Float>?>
    private let line: DelayStorage?
    private let ownedSounds: OwnedCells<AuxiliarySound>
    private let ownedCore: OwnedCells<AuxiliaryCore>

    init(inputCount: Int, _ auxiliaryInputs: [AuxiliaryInput]) {
        cak_prepare()
        let channelCount = auxiliaryInputs.reduce(0) { $0 + $1.channels.count }
        self.channelCount = channelCount
        // Silence, a block for each channel of an auxiliary input, one for each input, and a spare one.
        samples = OwnedCells(repeating: 0, count: BlockPool.sampleCount(blocks: 1 + channelCount + inputCount + 1))
        let memory = samples.cells
        unsafe bases = OwnedCells(repeating: nil, count: inputCount + channelCount)
        var capacity: Int?
        for input in auxiliaryInputs { if let own = input.alignment.capacity { capacity = max(capacity ?? 0, own) } }
        line = capacity.map { DelayStorage(frames: $0 + AudioCycle.maximumFrameCount, channels: inputCount) }
        var first = 0
        ownedSounds = OwnedCells(count: auxiliaryInputs.count) { index in
            let input = auxiliaryInputs[index]
            defer { first += input.channels.count }
            return AuxiliarySound(
                channelCount: input.channels.count, firstChannel: inputCount + first,
                isAligned: input.alignment.capacity != nil, pool: BlockPool(memory, from: 1 + first))
        }
        ownedCore = OwnedCells(
            AuxiliaryCore(
                inputCount: inputCount, sounds: ownedSounds.cells, count: auxiliaryInputs.count,
                row: unsafe CycleBuffers(bases.cells.pointer(at: 0), frameCount: 0),
                silence: BlockPool(memory).block(0, AudioCycle.maximumFrameCount),
                scratch: BlockPool(memory, from: 1 + channelCount), line: line?.memory, capacity: capacity ?? 0))
    }

    var core: Cell<AuxiliaryCore> { ownedCore.cell }

    /// The sound of an auxiliary input, for its receiver.
    func sound(_ index: Int) -> Cell<AuxiliarySound> { ownedSounds.cells.cell(index) }

    /// Sets the age of the filter's input, in frames.
    ///
    /// - Thread: the client's.
    func setInputAge(_ frames: Int) { core.value.inputAge.store(frames, ordering: .relaxed) }

    /// By how much the filter's input waits for the auxiliary inputs, in frames.
    ///
    /// - Thread: any.
    var addedFrames: Int { core.value.addedFrames.load(ordering: .relaxed) }
}
