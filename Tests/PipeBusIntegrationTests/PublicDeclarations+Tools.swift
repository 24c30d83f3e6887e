// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting

/// The compiler's tools that read a module.
extension PublicDeclarations {
    static func run(_ arguments: [String]) async throws {
        let tool = try ChildProcess("swift", arguments)
        let ending = try await tool.waitForEnd(within: .seconds(120))
        guard ending == .exited(0) else { throw tool.failure("failed at: swift \(arguments.joined(separator: " "))") }
    }

    /// The arguments for the C modules that the public modules import.
    static var cModules: [String] {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources").path
        return ["CAppSupport", "CAudioConversion", "CAudioKernels", "CRealtime", "CPipeWireShims"].flatMap {
            [
                "-Xcc", "-fmodule-map-file=\(Programs.path(of: "\($0).build/module.modulemap"))",
                "-Xcc", "-I\(sources)/\($0)/include",
            ]
        } + ["CGIO", "CPNG", "CSndFile"].flatMap { ["-Xcc", "-fmodule-map-file=\(sources)/\($0)/module.modulemap"] }
            + systemFolders.flatMap { ["-Xcc", $0] }
    }

    /// The flags for the folders of GIO's and libpng's headers.
    private static var systemFolders: [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["pkg-config", "--cflags-only-I", "gio-unix-2.0", "libpng"]
        let pipe = Pipe()
        process.standardOutput = pipe
        // Without an answer the compiler says what it lacks.
        guard (try? process.run()) != nil else { return [] }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
    }

    static var target: String {
        #if arch(arm64)
            "aarch64-unknown-linux-gnu"
        #else
            "x86_64-unknown-linux-gnu"
        #endif
    }
}
