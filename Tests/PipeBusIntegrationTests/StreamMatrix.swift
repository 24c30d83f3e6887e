// SPDX-License-Identifier: MIT
import Foundation
import SeededRandom

/// The lengths of cycles and of blocks over which streams are tried, and the random order of what happens meanwhile.
enum StreamMatrix {
    static let quanta = [16, 17, 64, 256, 1000, 1024, 4096, 8192]
    static let blockSizes = [1, 7, 64, 441, 1000, 1024, 4096, 10_000]

    /// Random numbers of a test, of another seed at each run; `PIPEBUS_STREAM_SEED` repeats a run.
    static func generator(_ test: String) -> SeededGenerator {
        let given = ProcessInfo.processInfo.environment["PIPEBUS_STREAM_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0..<1_000_000)
        print("\(test): seed \(seed)")
        return SeededGenerator(seed: seed)
    }
}
