// SPDX-License-Identifier: MIT
import RealtimeKit

/// The sound of one auxiliary input in a cycle: its receiver puts it in, and the filter takes it out later in the same cycle.
///
/// - Thread: audio. ``AuxiliaryMemory`` owns the samples.
struct AuxiliarySound {
    let channelCount: Int
    /// The place of the first channel among the filter's inputs and those of all auxiliary inputs.
    let firstChannel: Int
    /// Whether the filter's input waits for this sound.
    let isAligned: Bool
    private let pool: BlockPool

    // The cycle of the sound.
    private var position: UInt64 = 0
    private var startTime: UInt64 = 0
    private var frameCount = 0
    /// The age of the sound, in frames.
    private(set) var age = 0
    /// Whether the filter found sound of its own cycle.
    private(set) var isPresent = false

    @_noLocks
    init(channelCount: Int, firstChannel: Int, isAligned: Bool, pool: BlockPool) {
        self.channelCount = channelCount
        self.firstChannel = firstChannel
        self.isAligned = isAligned
        self.pool = pool
    }

    @_noLocks
    mutating func put(_ mix: borrowing ReceivedMix, _ cycle: AudioCycle) {
        (position, frameCount) = (cycle.position, cycle.frameCount)
        startTime = cycle.startTime.nanoseconds
        age = Int(truncatingIfNeeded: Int64(truncatingIfNeeded: cycle.position) &- mix.timestamp.position)
        for channel in 0..<channelCount {
            unsafe block(channel, frameCount).copy(
                from: SampleBlock(mix.channels.base[channel], frameCount: frameCount))
        }
    }

    /// Looks whether the sound is of a cycle. The receiver does not run without a source.
    ///
    /// The filter and the receiver have two counts of positions and clocks where another thread processes them than the app's first
    /// port; see ``Timelines``. Some drivers have no times.
    @_noLocks
    mutating func find(_ cycle: AudioCycle) {
        isPresent =
            frameCount == cycle.frameCount && startTime == cycle.startTime.nanoseconds
            && (startTime != 0 || position == cycle.position)
    }

    @_noLocks
    func block(_ channel: Int, _ frameCount: Int) -> SampleBlock { pool.block(channel, frameCount) }
}
