// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTesting
import PipeWireClient
import XCTest

/// An actor on a loop, which counts the calls of its watch.
private actor Watcher {
    nonisolated let loop: PipeWireLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private var watch: SocketWatch?
    private(set) var changes = 0

    init() throws { loop = try PipeWireLoop() }

    /// - Returns: whether anything can be watched.
    func begin(_ socket: String) -> Bool {
        watch = SocketWatch(on: loop, address: RemoteAddress(remote: socket)) { [unowned self] in
            assumeIsolated { $0.changes += 1 }
        }
        return watch != nil
    }

    func refresh() -> Bool { watch?.refresh() ?? false }

    func end() { watch = nil }
}

/// No daemon is needed: any file with a socket's name will do.
final class SocketWatchTests: XCTestCase {
    private let base = FileManager.default.temporaryDirectory.appending(path: "pipebus-watch-\(UUID().uuidString)").path

    override func setUpWithError() throws { try makeFolder("") }
    override func tearDownWithError() throws { try FileManager.default.removeItem(atPath: base) }

    private func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: "\(base)/\(path)", withIntermediateDirectories: true)
    }

    private func makeFile(_ path: String) {
        _ = FileManager.default.createFile(atPath: "\(base)/\(path)", contents: nil)
    }
    private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: "\(base)/\(path)") }

    private func expectChange(of watcher: Watcher, by change: () throws -> Void) async throws {
        let earlier = await watcher.changes
        try change()
        try await eventually("the change") { await watcher.changes > earlier }
        // Nothing that the watch does makes events for itself.
        let later = await watcher.changes
        for _ in 0..<100 { await Task.yield() }
        let now = await watcher.changes
        XCTAssertLessThanOrEqual(now, max(later, earlier + 4))
    }

    private func watcher(_ socket: String) async throws -> Watcher {
        let watcher = try Watcher()
        let isWatching = await watcher.begin("\(base)/\(socket)")
        XCTAssertTrue(isWatching)
        return watcher
    }

    private func close(_ watcher: Watcher) async {
        await watcher.end()
        watcher.loop.stop()
    }

    func testASocketInADirectoryThatIsThere() async throws {
        try makeFolder("run")
        let watcher = try await watcher("run/socket")
        makeFile("run/other")
        try await expectChange(of: watcher) { makeFile("run/socket") }
        let changes = await watcher.changes
        XCTAssertEqual(changes, 1, "another file is none of these")
        try await expectChange(of: watcher) { XCTAssertEqual(unsafe chmod("\(base)/run/socket", 0o600), 0) }
        await close(watcher)
    }

    func testADirectoryThatIsAbsentAtFirst() async throws {
        let watcher = try await watcher("a/b/run/socket")
        makeFile("other")
        try await expectChange(of: watcher) { try makeFolder("a") }
        try await expectChange(of: watcher) { try makeFolder("a/b/run") }
        try await eventually("the directory to be watched") { await !watcher.refresh() }
        try await expectChange(of: watcher) { makeFile("a/b/run/socket") }
        await close(watcher)
    }

    func testADirectoryThatIsRemovedAndMadeAgain() async throws {
        try makeFolder("run")
        let watcher = try await watcher("run/socket")
        for _ in 0..<3 {
            try await expectChange(of: watcher) { makeFile("run/socket") }
            try await expectChange(of: watcher) { try remove("run") }
            try await expectChange(of: watcher) { try makeFolder("run") }
            try await expectChange(of: watcher) { makeFile("run/socket") }
            // At once, with no time for the watch in between.
            try await expectChange(of: watcher) {
                try remove("run")
                try makeFolder("run")
            }
            try await expectChange(of: watcher) { makeFile("run/socket") }
        }
        await close(watcher)
    }

    /// As when another file system is mounted over the directory.
    func testADirectoryThatIsReplacedWithoutAnEvent() async throws {
        try makeFolder("a/run")
        let watcher = try await watcher("a/run/socket")
        let isNewAtFirst = await watcher.refresh()
        XCTAssertFalse(isNewAtFirst)
        XCTAssertEqual(unsafe rename("\(base)/a", "\(base)/old"), 0)
        try makeFolder("a/run")
        let isNew = await watcher.refresh()
        XCTAssertTrue(isNew)
        let isNewAgain = await watcher.refresh()
        XCTAssertFalse(isNewAgain)
        try await expectChange(of: watcher) { makeFile("a/run/socket") }
        await close(watcher)
    }
}
