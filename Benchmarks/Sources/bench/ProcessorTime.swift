// SPDX-License-Identifier: MIT
import Foundation

extension Program {
    /// Processor time of all its threads that there are, by the kernel's account, in nanoseconds.
    var processorNanoseconds: Int {
        let folder = "/proc/\(identifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.reduce(0) { sum, thread in
            let text = (try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)) ?? ""
            return sum + (text.split(separator: " ").first.flatMap { Int($0) } ?? 0)
        }
    }
}

extension [Program] {
    var processorNanoseconds: Int { reduce(0) { $0 + $1.processorNanoseconds } }

    /// Waits until all have handled their events: until they take almost no time any more.
    func waitUntilQuiet() throws {
        var before = processorNanoseconds
        try wait(upTo: 120, for: "\(count) programs to come to rest") {
            Thread.sleep(forTimeInterval: 0.25)
            for program in self { try program.checkAlive() }
            let now = processorNanoseconds
            defer { before = now }
            // Less than 1 % of a processor, and what few timers each of them has.
            return now - before < 2_500_000 + 50_000 * count
        }
    }
}
