// SPDX-License-Identifier: MIT
import Foundation
import XCTest

@testable import DesktopSupport

/// Private folders for programs, which may leave anything there.
final class WorkFolderTests: XCTestCase {
    private let files = FileManager.default
    private var folder = ""

    override func setUpWithError() throws {
        folder = files.temporaryDirectory.appending(path: "work-\(UUID().uuidString)").path
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        addTeardownBlock { [folder] in try FileManager.default.removeItem(atPath: folder) }
    }

    private var names: [String] { get throws { try files.contentsOfDirectory(atPath: folder).sorted() } }

    /// More levels than a path can name.
    func testADeepFolderIsRemoved() throws {
        var work: WorkFolder? = try WorkFolder.make(in: folder)
        var level = unsafe open(try XCTUnwrap(work).path, O_RDONLY | O_DIRECTORY)
        let name = String(repeating: "d", count: 100)
        for _ in 0..<200 {
            XCTAssertEqual(unsafe mkdirat(level, name, 0o700), 0)
            close(unsafe openat(level, "file", O_WRONLY | O_CREAT, 0o600))
            let next = unsafe openat(level, name, O_RDONLY | O_DIRECTORY)
            close(level)
            level = next
        }
        close(level)
        work = nil
        XCTAssertEqual(try names, [])
    }

    /// The administrator may write them all the same.
    func testFoldersThatNobodyMayWriteAreRemoved() throws {
        var work: WorkFolder? = try WorkFolder.make(in: folder)
        let inner = "\(try XCTUnwrap(work).path)/a/b"
        try files.createDirectory(atPath: inner, withIntermediateDirectories: true)
        XCTAssert(files.createFile(atPath: "\(inner)/file", contents: nil))
        for path in [inner, "\(inner)/..", "\(inner)/../.."] { XCTAssertEqual(unsafe chmod(path, 0), 0) }
        work = nil
        XCTAssertEqual(try names, [])
    }

    func testLinksAreNotFollowed() throws {
        let precious = "\(folder)/precious"
        try files.createDirectory(atPath: precious, withIntermediateDirectories: true)
        XCTAssert(files.createFile(atPath: "\(precious)/file", contents: nil))
        var work: WorkFolder? = try WorkFolder.make(in: folder)
        try files.createSymbolicLink(atPath: "\(try XCTUnwrap(work).path)/link", withDestinationPath: precious)
        work = nil
        XCTAssertEqual(try names, ["precious"])
        work = try WorkFolder.make(in: folder)
        let path = try XCTUnwrap(work).path
        try files.removeItem(atPath: path)
        try files.createSymbolicLink(atPath: path, withDestinationPath: precious)
        work = nil
        XCTAssertEqual(try names, ["precious"])
        XCTAssert(files.fileExists(atPath: "\(precious)/file"))
    }

    /// In a folder for all, another user may exchange it for a link while it is removed.
    func testAnotherUsersFoldersAreLeftAlone() throws {
        try XCTSkipUnless(geteuid() == 0, "only the administrator can make them")
        for (name, lock, work) in [("a", 65_534, 65_534), ("b", 0, 65_534)] as [(String, uid_t, uid_t)] {
            let path = "\(folder)/pipebus-work-\(name)"
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            XCTAssert(files.createFile(atPath: "\(path)/file", contents: nil))
            XCTAssert(files.createFile(atPath: "\(path).lock", contents: nil))
            XCTAssertEqual(unsafe chown("\(path).lock", lock, lock), 0)
            XCTAssertEqual(unsafe chown(path, work, work), 0)
        }
        let left = try names
        WorkFolder.removeStale(in: folder)
        XCTAssertEqual(try names, left)
        XCTAssertEqual(unsafe chown("\(folder)/pipebus-work-b", 0, 0), 0)
        WorkFolder.removeStale(in: folder)
        XCTAssertEqual(try names, ["pipebus-work-a", "pipebus-work-a.lock"])
    }

    /// A program has another working folder than the process that starts it.
    func testThePathIsAbsolute() throws {
        let present = files.currentDirectoryPath
        XCTAssert(files.changeCurrentDirectoryPath(folder))
        defer { _ = files.changeCurrentDirectoryPath(present) }
        let path = try WorkFolder.make(in: ".").path
        XCTAssertEqual(String(path.prefix(folder.utf8.count + 1)), "\(folder)/")
    }
}
