// SPDX-License-Identifier: MIT
import RealtimeKit

/// Carries sound from the audio thread to a thread that may wait, on a number of lanes, in blocks that say where they
/// belong.
///
/// All memory is allocated when it is made. What finds no room is dropped and counted. Make one ``Writer`` and one
/// ``Reader``.
@safe final class Capture: @unchecked Sendable {
    // @unchecked: the pointer never changes, and the lanes behind it are the writer's until it is done.
    let lanes: UnsafeMutablePointer<CaptureLane>
    /// One of each for a lane.
    let samples: [SampleRing]
    let blocks: [EventQueue<CapturedBlock>]

    let laneCount: Int
    /// Of each lane.
    let channelCount: Int

    /// - Parameters:
    ///   - laneCount: 1 or more.
    ///   - channelCount: 1 or more.
    ///   - minimumCapacity: frames of each lane that the reader may be late by; rounded up to a power of two.
    ///   - blockCapacity: blocks of each lane that the reader may be late by, rounded up likewise.
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
