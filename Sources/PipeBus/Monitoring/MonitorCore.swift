// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The sound between a receiver and the sender that plays its mix. Reached through a plain address, owned by ``MonitorMemory``.
///
/// The receiver stores the mix of each cycle, and the sender takes it in the same cycle: an order puts it behind the receiver.
/// The mix is copied, because PipeWire may take back the receiver's buffers between the two.
///
/// - Thread: audio, but for what says otherwise.
struct MonitorCore: ~Copyable {
    /// The two nodes may be processed by two threads if PipeWire is configured so.
    private let ownership = CycleOwnership()
    private let width: Int
    /// Whether the receiver does not mix: then its lanes are mixed here.
    private let isSeparate: Bool
    /// The mix, by channel.
    private let mix: BlockPool
    private let fades: Cells<ChannelFade>
    private let lastSamples: Cells<Float>
    private let spare: SampleBlock
    /// Zeros, never written.
    private let silence: SampleBlock

    // The cycle of the mix.
    private var frameCount = 0
    private var position: UInt64 = 0
    private var nanoseconds: UInt64 = 0

    private var sampleRate = 0
    private var fadeLength = 1
    /// Whether the sender was audible in the last cycle, and there was no sound: then sound begins with its first frame.
    private var isWaiting = false

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

    private static var fadesPerSecond: Int { @_noLocks get { 200 } }

    /// - Parameter blocks: one for each channel, a spare one, and one of zeros.
    @_noLocks
    init(
        width: Int, isSeparate: Bool, blocks: BlockPool, fades: Cells<ChannelFade>, lastSamples: Cells<Float>
    ) {
        self.width = width
        self.isSeparate = isSeparate
        mix = blocks
        self.fades = fades
        self.lastSamples = lastSamples
        spare = blocks.block(width, AudioCycle.maximumFrameCount)
        silence = blocks.block(width + 1, AudioCycle.maximumFrameCount)
    }

    /// Stores the mix of a receiver's cycle, once its lanes are processed.
    @_noLocks
    mutating func store(_ receiver: Cell<ReceiverCore>, _ cycle: AudioCycle) {
        guard ownership.acquireForCycle() else { return }
        if isSeparate { receiver.value.mixSeparateLanes(frameCount: cycle.frameCount) }
        frameCount = cycle.frameCount
        position = cycle.position
        nanoseconds = cycle.startTime.nanoseconds
        let isHalved = isHalved.load(ordering: .relaxed)
        for channel in 0..<width {
            let (place, sound) = (mix.block(channel, frameCount), receiver.value.mix.block(channel, frameCount))
            if isHalved { place.copyHalf(of: sound) } else { place.copy(from: sound) }
        }
        ownership.release()
    }

    /// Gives the mix of this cycle to the sender. Without one it is silent; sound that was cut off decays.
    @_noLocks
    mutating func play(_ cycle: AudioCycle, _ output: inout OutputChannels) {
        guard ownership.acquireForCycle() else { return }
        if cycle.sampleRate != sampleRate {
            sampleRate = cycle.sampleRate
            fadeLength = max(sampleRate / Self.fadesPerSecond, 1)
        }
        let hasSound = isOf(cycle)
        let isWanted = isWanted.load(ordering: .relaxed)
        // Nothing is heard of what was played before a pause.
        if cycle.isDiscontinuous, !isWanted { forget() }
        if hasSound, isWanted, isWaiting { beginWhole() }
        for channel in 0..<width {
            play(channel, hasSound: hasSound, isWanted: isWanted, to: output.part(channel, from: 0, cycle.frameCount))
        }
        let areSilent = areFadesSilent
        isWaiting = isWanted && !hasSound && areSilent
        isSilent.store(!isWanted && areSilent, ordering: .relaxed)
        ownership.release()
    }

    /// Whether the mix is that of a cycle. Two threads have two counts of positions, and some drivers no times.
    @_noLocks
    private func isOf(_ cycle: AudioCycle) -> Bool {
        guard frameCount == cycle.frameCount else { return false }
        return nanoseconds == cycle.startTime.nanoseconds && (nanoseconds != 0 || position == cycle.position)
    }

    @_noLocks
    private mutating func play(_ channel: Int, hasSound: Bool, isWanted: Bool, to place: SampleBlock) {
        let sound = mix.block(channel, place.frameCount)
        if hasSound, isWanted, fades[channel].isWhole(fadeLength: fadeLength) {
            place.copy(from: sound)
            lastSamples[channel] = place.last
            return
        }
        let result = fades.cell(channel).value.pass(
            hasSound ? sound : nil, isLeaving: !isWanted, last: lastSamples.cell(channel), place: place,
            spare: spare.prefix(place.frameCount), silence: silence.prefix(place.frameCount), fadeLength)
        if !result.isSame(as: place) { place.clear() }
    }

    @_noLocks
    private func forget() {
        for channel in 0..<width { fades[channel] = ChannelFade() }
    }

    @_noLocks
    private func beginWhole() {
        for channel in 0..<width { fades.cell(channel).value.begin(fadeLength: fadeLength) }
    }

    private var areFadesSilent: Bool {
        @_noLocks get {
            for channel in 0..<width where !fades[channel].isSilent(fadeLength: fadeLength) { return false }
            return true
        }
    }
}
