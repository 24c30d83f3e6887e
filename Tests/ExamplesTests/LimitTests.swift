// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A process that may have little ends with a sentence: it does not crash, and it does not stand still.
final class LimitTests: ToolTestCase {
    private var tools: [(tool: String, arguments: [String])] {
        [
            ("tone-sender", ["--frequency", "440"]), ("echo-filter", []),
            ("track-recorder", ["--separate", "--output", "\(folder)/tracks"]), ("pipebus", ["list"]),
        ]
    }

    /// Without what this process may have inherited and hands on.
    private func shell(_ limit: String) -> [String] {
        let closing = "for fd in /proc/self/fd/*; do fd=${fd##*/}; [ $fd -gt 2 ] && eval \"exec $fd>&-\"; done"
        return ["/bin/bash", "-c", "\(closing); ulimit \(limit); exec \"$@\"", "sh"]
    }

    /// Either it works, and then it ends well, or it ends with one sentence.
    private func assertASentenceOrWork(
        _ process: ChildProcess, from tool: String, saying words: String, _ what: String, mayTrapInRuntime: Bool = false
    ) async throws {
        try await eventually("\(tool) to begin or to end, \(what)") {
            process.ending != nil || process.output.text.contains("port=")
        }
        if process.ending == nil { process.signal(SIGINT) }
        guard try await process.waitForEnd() != .exited(0) else { return }
        // The dynamic linker's own; nothing of ours has been loaded then.
        if process.ending == .exited(127),
            ["while loading shared libraries", "Fatal glibc error"].contains(where: process.errors.text.contains)
        {
            return
        }
        // Swift's runtime traps in the initializer of libswiftCore, in a few kilobytes between these two cases.
        if mayTrapInRuntime, process.ending == .killed(signal: SIGILL), process.errors.text.isEmpty { return }
        // Swift's runtime says this before `main`, in the few kilobytes of memory between too little for its crash handler
        // and too little for the dynamic linker.
        let lines = process.errors.lines.filter { !$0.hasPrefix("swift runtime: crash handler installation failed") }
        XCTAssertEqual(process.ending, .exited(1), "\(tool), \(what): \(process.errors.text)")
        XCTAssertEqual(lines.count, 1, "\(tool), \(what): \(process.errors.text)")
        XCTAssertTrue(lines.first?.hasPrefix("\(tool): ") ?? false, process.errors.text)
        XCTAssertTrue(lines.first?.contains(words) ?? false, "\(tool), \(what): \(process.errors.text)")
    }

    func testFewDescriptors() async throws {
        try await startWithFewDescriptors(.system)
    }

    func testFewDescriptorsOnANewerPipeWire() async throws {
        try await startWithFewDescriptors(try PipeWireInstallation.newer())
    }

    private func startWithFewDescriptors(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        for count in 4...30 {
            for (tool, arguments) in tools {
                let process = try start(
                    tool, arguments, at: daemon.environment(client: installation), through: shell("-n \(count)"))
                try await assertASentenceOrWork(process, from: tool, saying: "(ulimit -n)", "ulimit -n \(count)")
            }
        }
    }

    /// The descriptors suffice until a source is connected. Then the tool reports the lack, or records the source.
    func testDescriptorsThatRunOutLater() async throws {
        let daemon = try await startDaemon()
        for count in stride(from: 27, through: 36, by: 3) {
            let recorder = try start(
                "track-recorder", ["--output", "\(folder)/\(count).wav"], at: daemon.environment(),
                through: shell("-n \(count)"))
            let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
            let (source, _) = try await bus.source(of: .counting, channels: .stereo)
            do {
                try await bus.connect(source, to: "Recorder", timeout: .milliseconds(500))
            } catch {
                // It does not exist, or is gone.
            }
            let sentence = "of its \(count) file descriptors"
            try await eventually("sound in its file, its end, or the reason why it waits") {
                let size = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(count).wav")[.size] as? Int
                return recorder.ending != nil || size ?? 0 > 1000 || recorder.errors.text.contains(sentence)
            }
            recorder.signal(SIGINT)
            if try await recorder.waitForEnd() != .exited(0) {
                XCTAssertEqual(recorder.ending, .exited(1), recorder.errors.text)
                XCTAssertLessThanOrEqual(recorder.errors.lines.count, 3, recorder.errors.text)
                XCTAssertTrue(recorder.errors.text.contains(sentence), recorder.errors.text)
            }
            await bus.close()
        }
    }

    func testLittleMemory() async throws {
        let daemon = try await startDaemon()
        // With less than a debug build of the largest has, the kernel ends a program before its first instruction.
        for kilobytes in [30_000, 50_000, 80_000, 110_000, 120_000, 150_000, 200_000, 300_000, 400_000, 500_000] {
            for (tool, arguments) in tools {
                let process = try start(
                    tool, arguments, at: daemon.environment(), through: shell("-v \(kilobytes)"))
                try await assertASentenceOrWork(
                    process, from: tool, saying: "(ulimit -v", "ulimit -v \(kilobytes)",
                    mayTrapInRuntime: kilobytes < 100_000)
            }
        }
    }

    func testFewThreads() async throws {
        try XCTSkipUnless(getuid() == 0, "takes root, whom the limit does not hold, to become somebody whom it does")
        func nobody(_ count: Int) -> [String] {
            ["setpriv", "--reuid=nobody", "--clear-groups", "prlimit", "--nproc=\(count)"]
        }
        let ending = try await start("tone-sender", ["--help"], through: nobody(1000)).waitForEnd()
        try XCTSkipUnless(ending == .exited(0), "nobody may not run what is built here")
        for count in [1, 2, 4, 8] {
            for (tool, arguments) in tools {
                // There is no daemon, which is what they say if they come that far.
                let process = try start(tool, arguments, through: nobody(count))
                try await assertOneSentence(process, from: tool, status: 1, saying: "(ulimit -u)")
            }
        }
    }
}
