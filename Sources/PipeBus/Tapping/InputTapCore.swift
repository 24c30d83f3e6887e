// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The sound of a filter's input as it was before sources of it are exchanged.
///
/// The tap is another node of the app, with a link from each source of the filter. It runs before the filter in each cycle. While the
/// filter hears the tap, links come and go unheard at its input. ``InputTapState`` has the states.
///
/// - Thread: audio. One thread processes the tap and the filter. Owned by ``InputTapMemory``.
struct InputTapCore: ~Copyable {
    // Set once.
    private let channelCount: Int
    private let fadeMicroseconds: Int
    private let silence: SampleBlock
    /// A block of each channel for the tap's sound, and one for the fade.
    private let taken: BlockPool
    private let mixed: BlockPool
    /// Whether the tap has a buffer of the channel.
    private let isGiven: Cells<Bool>

    // The cycle of the tap's sound.
    private var position: UInt64 = 0
    private var clock: UInt32 = 0
    private var frameCount = 0

    // The exchange.
    private var number = 0
    private var state = InputTapState.input
    private var fade = Crossfade()
    /// Number of cycles in a row in which the tap had the sound of the input.
    private var sameCycles = 0

    /// From the control side: the number of the exchange, twice, plus 1 if the filter is to hear its input again.
    let request = Atomic<Int>(0)
    /// For the control side: the number of the exchange, four times, plus the state.
    let progress = Atomic<Int>(0)

    /// A new link may give silence for a cycle.
    private static var neededCycles: Int { @_noLocks get { 3 } }

    @_noLocks
    init(
        channelCount: Int, fadeMicroseconds: Int, silence: SampleBlock, taken: BlockPool, mixed: BlockPool,
        isGiven: Cells<Bool>
    ) {
        self.channelCount = channelCount
        self.fadeMicroseconds = fadeMicroseconds
        self.silence = silence
        self.taken = taken
        self.mixed = mixed
        self.isGiven = isGiven
    }

    // MARK: A cycle of the tap

    /// Keeps the tap's sound. What it gives to the filter's input is silent.
    @_noLocks
    mutating func take(_ cycle: GraphCycle) {
        cycle.outputs.silence(channelCount)
        guard cycle.frameCount <= AudioCycle.maximumFrameCount else { return frameCount = 0 }
        (position, clock, frameCount) = (cycle.position, cycle.clock, cycle.frameCount)
        let inputs = cycle.inputs
        for channel in 0..<channelCount {
            if let block = inputs[channel] {
                taken.block(channel, cycle.frameCount).copy(from: block)
                isGiven[channel] = true
            } else {
                isGiven[channel] = false
            }
        }
    }

    // MARK: A cycle of the filter

    /// Puts what is to be heard in place of the filter's input.
    @_noLocks
    mutating func pass(_ cycle: GraphCycle) {
        let request = self.request.load(ordering: .acquiring)
        if request >> 1 != number { begin(request >> 1) }
        let isEnding = request & 1 != 0
        let isPresent =
            frameCount == cycle.frameCount && position == cycle.position && clock == cycle.clock
        let length = cycle.sampleRate * fadeMicroseconds / 1_000_000
        switch state {
        case .input:
            sameCycles = isPresent && isSame(as: cycle.inputs) ? sameCycles &+ 1 : 0
            if isEnding { state = .ended } else if sameCycles >= Self.neededCycles { state = .tapped }
        case .tapped:
            if isEnding {
                fade.start()
                state = length > 0 ? .fading : .ended
            }
        case .fading, .ended: break
        }
        // The tap has missed the cycle: then the input is all there is.
        switch state {
        case .input, .ended: break
        case .tapped: if isPresent { replace(cycle.inputs) }
        case .fading:
            if isPresent { mix(cycle.inputs, length) }
            fade.advance(by: cycle.frameCount, length: length)
            if !fade.isRunning(length: length) { state = .ended }
        }
        // Released: the control side may free what the audio thread has used.
        progress.store(number << 2 | state.number, ordering: .releasing)
    }

    @_noLocks
    private mutating func begin(_ number: Int) {
        self.number = number
        state = .input
        sameCycles = 0
        fade.end()
    }

    @_noLocks
    private func tapped(_ channel: Int, _ frameCount: Int) -> SampleBlock {
        isGiven[channel] ? taken.block(channel, frameCount) : silence.prefix(frameCount)
    }

    @_noLocks
    private func isSame(as buffers: CycleBuffers) -> Bool {
        for channel in 0..<channelCount {
            var input = silence.prefix(buffers.frameCount)
            if let block = buffers[channel] { input = block }
            if !tapped(channel, buffers.frameCount).isClose(to: input) { return false }
        }
        return true
    }

    @_noLocks
    private func replace(_ buffers: CycleBuffers) {
        for channel in 0..<channelCount {
            // Without a buffer the sound was cut off: the filter's own fade lets it decay.
            if isGiven[channel] {
                buffers.put(taken.block(channel, buffers.frameCount), at: channel)
            } else {
                buffers.remove(at: channel)
            }
        }
    }

    @_noLocks
    private func mix(_ buffers: CycleBuffers, _ length: Int) {
        for channel in 0..<channelCount {
            var input = silence.prefix(buffers.frameCount)
            if let block = buffers[channel] { input = block }
            let place = mixed.block(channel, buffers.frameCount)
            fade.mix(from: tapped(channel, buffers.frameCount), to: input, into: place, length: length)
            buffers.put(place, at: channel)
        }
    }
}
