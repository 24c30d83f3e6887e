// SPDX-License-Identifier: MIT
import RealtimeKit

// The end of an interval.
extension ReaderCore {
    /// Notes the length of the interval that ends. Its first request may have been a part of that.
    ///
    /// - Parameters:
    ///   - frameCount: the most that was read of a lane.
    ///   - rate: of these frames, in hertz; 0: the graph's.
    @_noLocks
    mutating func noteInterval(_ frameCount: Int, rate: Int) {
        guard isBegun else { return }
        let length = graphFrames(frameCount, rate: rate)
        // More than the memory holds can not be kept, however far behind the reader is.
        guard length > firstBlock, length <= lanes[0].source.value.capacity else {
            partsOfInterval = (0, 0)
            return
        }
        partsOfInterval = (frameCount, rate)
        guard isRunning else { return }
        pacing.note(interval: length, block: firstBlock, fill: fill &+ heldFrames)
    }

    /// Ends an interval of which every lane was read by a resampler of its own. One may have taken a frame more than another.
    @_noLocks
    mutating func endResampledInterval() {
        var shortest = offsets[0]
        for lane in 1..<max(laneCount, 1) { shortest = min(shortest, offsets[lane]) }
        advance(shortest)
        for lane in 0..<laneCount { offsets[lane] &-= shortest }
        isBegun = false
    }

    @_noLocks
    private mutating func advance(_ frames: Int) {
        let held = min(heldFrames, frames)
        heldFrames &-= held
        place &+= Int64(truncatingIfNeeded: frames &- held)
    }

    /// Ends an interval. What was not read of any lane in it is removed.
    @_noLocks
    mutating func endInterval() {
        var longest = 0
        for lane in 0..<laneCount { longest = max(longest, offsets[lane]) }
        advance(longest)
        for lane in 0..<laneCount {
            if isRunning, offsets[lane] < longest { removeUnread(lane) }
            offsets[lane] = 0
        }
        isBegun = false
    }

    /// Removes a lane's frames before the next interval, of which the app wants nothing.
    @_noLocks
    private mutating func removeUnread(_ lane: Int) {
        var unwanted = ReaderStatistics()
        _ = lanes[lane].findOldest(from: place, sampleRate: sampleRate, &unwanted)
        lanes[lane].cut()
    }
}
