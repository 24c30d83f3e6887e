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
        return ["CAudioConversion", "CAudioKernels", "CRealtime", "CPipeWireShims"].flatMap {
            [
                "-Xcc", "-fmodule-map-file=\(Programs.path(of: "\($0).build/module.modulemap"))",
                "-Xcc", "-I\(sources)/\($0)/include",
            ]
        }
    }

    static var target: String {
        #if arch(arm64)
            "aarch64-unknown-linux-gnu"
        #else
            "x86_64-unknown-linux-gnu"
        #endif
    }
}
