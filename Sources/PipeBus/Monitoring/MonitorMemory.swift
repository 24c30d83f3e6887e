// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// Owns the sound between a receiver and the sender that plays its mix.
///
/// - Thread: any but the audio thread, which has ``core``.
@safe final class MonitorMemory: @unchecked Sendable {
    // @unchecked: the core belongs to the audio thread; its atomics are for any thread.
    private let ownedCore: OwnedCells<MonitorCore>
    private let sound: OwnedCells<MonitorSound>
    private let samples: OwnedCells<Float>
    private let fades: OwnedCells<ChannelFade>
    private let lastSamples: OwnedCells<Float>

    /// - Parameters:
    ///   - width: number of channels of the mix.
    ///   - isSeparate: whether the receiver hands its sources over one by one.
    init(width: Int, isSeparate: Bool) {
        let samples = OwnedCells<Float>(
            repeating: 0, count: BlockPool.sampleCount(blocks: width + 2), alignment: 64)
        let fades = OwnedCells(repeating: ChannelFade(), count: width)
        let lastSamples = OwnedCells<Float>(repeating: 0, count: width)
        let sound = OwnedCells(
            MonitorSound(
                width: width, isSeparate: isSeparate, blocks: BlockPool(samples.cells), fades: fades.cells,
                lastSamples: lastSamples.cells))
        ownedCore = OwnedCells(MonitorCore(sound.cell))
        self.sound = sound
        self.samples = samples
        self.fades = fades
        self.lastSamples = lastSamples
    }

    var core: Cell<MonitorCore> { ownedCore.cell }

    /// Lets the mix be heard, faded in; or fades it out.
    func setWanted(_ isWanted: Bool) { core.value.isWanted.store(isWanted, ordering: .relaxed) }

    /// Halves the mix for a device that adds up both of its channels, so that it plays their mean.
    func setHalved(_ isHalved: Bool) { core.value.isHalved.store(isHalved, ordering: .relaxed) }

    /// Whether a mix that is not wanted was silent in the last cycle of the sender.
    var isSilent: Bool { core.value.isSilent.load(ordering: .relaxed) }
}
