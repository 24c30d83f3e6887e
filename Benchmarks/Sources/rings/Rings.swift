// SPDX-License-Identifier: MIT
import BenchmarkSupport
import CBenchmarkRings
import RealtimeKit

/// Blocks of stereo floats that are written into a ring and read again: the library's ring beside libjack's and SPA's.
///
///     rings ROUNDS
///
/// Prints a line of JSON for each length of the blocks and each peer.
@main
struct Rings {
    private static let channels = 2
    /// In frames. More than an inner cache holds, together with the blocks.
    private static let capacity = 4096
    private static let lengths = [64, 256, 1024]

    static func main() {
        guard CommandLine.arguments.count == 2, let rounds = Int(CommandLine.arguments[1]), rounds > 0 else {
            fail("usage: rings ROUNDS", status: 64)
        }
        for frames in lengths {
            let work = RingWork(channels: channels, capacity: capacity, frames: frames)
            Contest(work.contenders, rounds: rounds).report("\(frames) frames, there and back")
        }
    }
}
