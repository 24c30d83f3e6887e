// SPDX-License-Identifier: MIT
import Foundation
import Synchronization

/// What was done, and what the apps saw, in a file that outlives the test.
final class SoakLog: Sendable {
    let path: String
    private let file: FileHandle
    private let start = ContinuousClock.now
    private let kept = Mutex<[String]>([])

    init(seed: UInt64) throws {
        path = NSTemporaryDirectory() + "pipebus-soak-\(seed)-\(Int(Date().timeIntervalSince1970)).log"
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else { throw CocoaError(.fileWriteNoPermission) }
        self.file = file
    }

    /// The last lines.
    var recent: [String] { kept.withLock { $0 } }
    var elapsed: Duration { start.duration(to: .now) }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String) {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        // The time of the day in seconds is that of the apps' events.
        let line = String(
            format: "%9.3f  (%d.%03d)  %@", elapsed / .seconds(1), now.tv_sec % 86_400, now.tv_nsec / 1_000_000, text)
        kept.withLock { kept in
            kept = kept.suffix(39) + [line]
            try? file.write(contentsOf: Data("\(line)\n".utf8))
        }
    }
}

/// What differed, with the seed, the time and the last deeds.
struct SoakFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
