// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import XCTest

@testable import PipeBusApps

/// The base of tests with folders of desktop entries of their own: GLib reads where they are once in a process.
class AppsTestCase: XCTestCase {
    private static let data: URL = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pipebus-apps-\(getpid())")
        for name in ["user/applications", "packaged/applications", "user/dbus-1/services"] {
            try! FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        unsafe setenv("XDG_DATA_HOME", folder.path + "/user", 1)
        unsafe setenv("XDG_DATA_DIRS", folder.path + "/packaged", 1)
        atexit { try? FileManager.default.removeItem(at: AppsTestCase.data) }
        return folder
    }()

    /// That of the user's service files.
    static var servicesFolder: String { data.path + "/user/dbus-1/services" }
    /// The folder of the user's entries.
    static var userFolder: String { data.path + "/user/applications" }
    /// That of entries of packages.
    static var packagedFolder: String { data.path + "/packaged/applications" }

    override func setUp() async throws { try empty() }
    override func tearDown() async throws { try empty() }

    private func empty() throws {
        for folder in [Self.userFolder, Self.packagedFolder, Self.servicesFolder] {
            unsafe chmod(folder, 0o700)
            for name in try names(in: folder) { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        }
    }

    func names(in folder: String = userFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    func text(_ name: String, in folder: String = userFolder) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

    /// Puts an entry into a folder.
    func put(_ text: String, _ name: String, in folder: String = userFolder) throws {
        try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }

    /// Runs a program to its end.
    ///
    /// - Returns: its status, and what it printed.
    func run(_ program: String, _ arguments: String...) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
