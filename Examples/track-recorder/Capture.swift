// SPDX-License-Identifier: MIT
import RealtimeKit

/// Carries sound from the audio thread to a thread that may wait, on a number of lanes, in blocks with their positions.
///
/// All memory is allocated at the start. Sound without room is dropped and counted. Create one ``Writer`` and one
/// ``Reader``.
@safe final class Capture: @unchecked Sendable {
    // @unchecked: the pointer never changes, and the lanes behind it belong to the writer until it has ended.
    let lanes: UnsafeMutablePointer<CaptureLane>
    /// One ring for each lane.
    let samples: [SampleRing]
    let blocks: [EventQueue<CapturedBlock>]

    let laneCount: Int
    /// Number of channels of each lane.
    let channelCount: Int

    /// - Parameters:
    ///   - laneCount: 1 or more.
    ///   - channelCount: 1 or more.
    ///   - minimumCapacity: number of frames of each lane that the reader may lag; rounded up to a power of two.
    ///   - blockCapacity: number of blocks of each lane that the reader may lag; rounded up to a power of two.
    init(laneCount: Int, channelCount: Int, minimumCapacity: Int, blockCapacity: Int) {
        precondition(laneCount > 0, "a capture has a lane or more")
        self.laneCount = laneCount
        self.channelCount = channelCount
        samples = (0..<laneCount).map { _ in
            SampleRing(channelCount: channelCount, minimumCapacity: minimumCapacity)
        }
        blocks = (0..<laneCount).map { _ in EventQueue(minimumCapacity: blockCapacity) }
        unsafe lanes = .allocate(capacity: laneCount)
        for lane in 0..<laneCount {
            unsafe (lanes + lane).initialize(to: CaptureLane(samples[lane].makeWriter(), blocks[lane].makeWriter()))
        }
    }

    deinit {
        unsafe lanes.deinitialize(count: laneCount)
        unsafe lanes.deallocate()
    }
}
