// SPDX-License-Identifier: MIT
import Foundation

extension Program {
    /// Processor time of all its threads that there are, by the kernel's account, in nanoseconds.
    var processorNanoseconds: Int { threads.reduce(0) { $0 + processorNanoseconds(of: $1) } }

    /// The same of the library's loop alone. The audio thread, which is made later, may have the same name.
    var loopNanoseconds: Int {
        let named = threads.filter { thread in
            (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)) == "pipebus\n"
        }
        return named.min().map { processorNanoseconds(of: $0) } ?? 0
    }

    private var folder: String { "/proc/\(identifier)/task" }

    private var threads: [Int] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { Int($0) }
    }

    private func processorNanoseconds(of thread: Int) -> Int {
        let text = (try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)) ?? ""
        return text.split(separator: " ").first.flatMap { Int($0) } ?? 0
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
