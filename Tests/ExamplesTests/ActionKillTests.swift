// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// Host and action are killed at random moments. The input stays as it is, a result is there as a whole or not at all, and no temporary file is left.
final class ActionKillTests: ActionTestCase {
    /// Looks at the folder all the time, for a result that is not whole.
    private final class Watcher: @unchecked Sendable {
        // @unchecked: the thread writes before `stop` returns.
        private let thread: Thread
        private let ended = DispatchSemaphore(value: 0)
        private let isStopped = OSAllocatedFlag()
        private(set) var looks = 0
        private(set) var seen = 0
        private(set) var halves: [Int] = []

        init(path: String, content: Data) {
            let body = Body()
            thread = Thread { body.run?() }
            body.run = { [unowned self] in
                while !isStopped.isSet {
                    looks += 1
                    _ = poll(nil, 0, 1)
                    if let found = try? Data(contentsOf: URL(fileURLWithPath: path)) {
                        seen += 1
                        if found != content { halves.append(found.count) }
                    }
                }
                ended.signal()
            }
            thread.start()
        }

        private final class Body: @unchecked Sendable { var run: (() -> Void)? }

        func stop() {
            isStopped.set()
            ended.wait()
        }
    }

    /// Waits for a moment of no meaning, in milliseconds.
    private func pass(_ milliseconds: Int) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { continuation.resume() }
        }
    }

    private func kill(_ rounds: Int, in session: DesktopSession, seed: UInt64) async throws {
        try await installHost("One", in: session)
        let path = try writeSound(frameCount: 300_000)
        let before = try content(path)
        let result = "\(sounds)/Speech (Token).wav"
        var random = SeededGenerator(seed: seed)
        let watcher = Watcher(path: result, content: before)
        var outcomes: [String: Int] = [:]
        for round in 0..<rounds {
            let host = try start(
                "action-caller", ["run", "org.pipebus.test.One", "copy", sounds, "20", path], at: session.environment)
            await pass(Int.random(in: 0...350, using: &random))
            if round.isMultiple(of: 2) {
                host.signal(SIGKILL)
            } else {
                for process in Self.hosts(of: folder) { Glibc.kill(process, SIGKILL) }
            }
            let ending = try await host.waitForEnd(within: .seconds(60))
            let last = host.output.lines.last ?? ""
            if round.isMultiple(of: 2) {
                XCTAssertTrue(ending == .killed(signal: SIGKILL) || last == "completed", "\(ending) \(last)")
            } else {
                XCTAssertTrue(
                    last == "completed" || last.hasPrefix("failed ended ") || last.hasPrefix("failed notStarted "),
                    "\(ending) \(last)")
            }
            outcomes["\(round.isMultiple(of: 2) ? "host" : "action"): \(last.prefix(14))", default: 0] += 1
            XCTAssertEqual(try content(path), before, "round \(round)")
            let names = try names(in: sounds)
            XCTAssertTrue(
                names.allSatisfy { ["Speech.wav", "Speech (Token).wav"].contains($0) || $0.hasPrefix(".") }, "\(names)")
            if last == "completed" { XCTAssertEqual(try content(result), before) }
            try? FileManager.default.removeItem(atPath: result)
        }
        watcher.stop()
        print("kills: \(outcomes.sorted { $0.key < $1.key }), \(watcher.looks) looks, \(watcher.seen) at a result")
        XCTAssertEqual(watcher.halves, [])
        XCTAssertGreaterThan(outcomes.count, 2)
        try await endHosts()
        // What is left on a file system that knows no files without names is removed by the next run.
        let lines = try await call(["One"], mode: "copy", on: [path], in: session)
        XCTAssertEqual(lines.last, "completed")
        try await endHosts()
        try await assertNothingTemporary()
    }

    func testKilledAtRandomMoments() async throws {
        try await kill(200, in: try await actionSession(), seed: 14)
    }

    /// The same where every file has a name.
    func testKilledWithoutNamelessFiles() async throws {
        let library = "\(folder)/named.so"
        let source = "\(folder)/named.c"
        try """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdarg.h>
        int open(const char *path, int flags, ...) {
            va_list list;
            va_start(list, flags);
            int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, int) : 0;
            va_end(list);
            if ((flags & O_TMPFILE) == O_TMPFILE) {
                errno = EOPNOTSUPP;
                return -1;
            }
            return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
        }
        """.write(toFile: source, atomically: true, encoding: .utf8)
        let compiler = try ChildProcess("clang", ["-shared", "-fPIC", "-o", library, source, "-ldl"])
        let ending = try await compiler.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(0), compiler.errors.text)
        try await kill(40, in: try await actionSession(preload: library), seed: 15)
    }
}

/// A flag that one thread sets and another reads.
private final class OSAllocatedFlag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
