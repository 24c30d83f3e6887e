// SPDX-License-Identifier: MIT
import RealtimeKit

@testable import PipeBus

extension StreamMemory {
    /// Writes a record as the audio thread does.
    ///
    /// - Parameter sample: the sample of a frame and a channel.
    /// - Returns: whether there was room.
    func put(_ record: StreamRecord, lane: Int = 0, _ sample: (_ frame: Int, _ channel: Int) -> Float) -> Bool {
        guard core.value.lanes[lane].begin(record) else { return false }
        var samples = [Float](repeating: 0, count: max(record.frameCount, 1))
        for channel in 0..<record.channelCount {
            for frame in 0..<record.frameCount { samples[frame] = sample(frame, channel) }
            unsafe samples.withUnsafeMutableBufferPointer { buffer in
                if let base = buffer.baseAddress {
                    let block = unsafe SampleBlock(base, frameCount: record.frameCount)
                    core.value.lanes[lane].fill(channel: channel, with: block)
                }
            }
        }
        core.value.lanes[lane].end()
        return true
    }
}
