// SPDX-License-Identifier: MIT
import PipeBusActions

/// Writes a sound backwards, in constant memory.
enum Reversal {
    /// Reads the sound from its end, block by block. Markers and loops move with their frames.
    ///
    /// - Parameters:
    ///   - output: with as many channels as the input.
    ///   - progress: gets the part that is done, 0…1, after each block; what it throws ends the work.
    /// - Throws: `SoundError`, or `CancellationError` if the task is cancelled.
    static func reverse(
        _ input: SoundInput, into output: SoundOutput, progress: (Double) throws -> Void = { _ in }
    ) throws {
        let frameCount = try input.frameCount
        output.metadata = input.metadata.reversed(frameCount: frameCount)
        var end = frameCount
        while end > 0 {
            try Task.checkCancellation()
            let start = max(end - input.blockFrameCount, 0)
            try input.seek(to: start)
            try output.write(input.read(upTo: end - start).reversed())
            end = start
            try progress(Double(frameCount - end) / Double(frameCount))
        }
    }
}
