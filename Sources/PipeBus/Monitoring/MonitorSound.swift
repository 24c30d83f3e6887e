// SPDX-License-Identifier: MIT
import RealtimeKit

/// The mix of a receiver's cycle, and the fades with which it is played. Reached through a plain address, owned by
/// ``MonitorMemory``.
///
/// The mix is copied, because PipeWire may take back the receiver's buffers before it is played.
///
/// - Thread: the one that has the ownership of the ``MonitorCore``.
struct MonitorSound {
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
    mutating func store(_ receiver: Cell<ReceiverCore>, _ cycle: AudioCycle, isHalved: Bool) {
        if isSeparate { receiver.value.mixSeparateLanes(frameCount: cycle.frameCount) }
        frameCount = cycle.frameCount
        position = cycle.position
        nanoseconds = cycle.startTime.nanoseconds
        for channel in 0..<width {
            let (place, sound) = (mix.block(channel, frameCount), receiver.value.mix.block(channel, frameCount))
            if isHalved { place.copyHalf(of: sound) } else { place.copy(from: sound) }
        }
    }

    /// Gives the mix of this cycle to the sender. Without one it is silent; sound that was cut off decays.
    ///
    /// - Returns: whether all of it was silent.
    @_noLocks
    mutating func play(_ cycle: AudioCycle, _ output: inout OutputChannels, isWanted: Bool) -> Bool {
        if cycle.sampleRate != sampleRate {
            sampleRate = cycle.sampleRate
            fadeLength = max(sampleRate / Self.fadesPerSecond, 1)
        }
        let hasSound = isOf(cycle)
        // Nothing is heard of what was played before a pause.
        if cycle.isDiscontinuous, !isWanted { forget() }
        if hasSound, isWanted, isWaiting { beginWhole() }
        for channel in 0..<width {
            play(channel, hasSound: hasSound, isWanted: isWanted, to: output.part(channel, from: 0, cycle.frameCount))
        }
        let areSilent = areFadesSilent
        isWaiting = isWanted && !hasSound && areSilent
        return areSilent
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
