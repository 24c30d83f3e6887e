// SPDX-License-Identifier: MIT
import Glibc
package import PipeBusTesting

/// Programs of this package that tests start: they are built into the folder of the test bundle.
package enum Programs {
    package static func path(of name: String) -> String { "\(folder)/\(name)" }

    /// Starts one that needs no daemon, or brings its own.
    package static func start(
        _ name: String, _ arguments: [String] = [], installation: PipeWireInstallation = .system
    ) throws -> ChildProcess {
        let nowhere = "/nonexistent/pipebus"
        let environment = ChildEnvironment.isolated(
            runtimeDirectory: nowhere, remote: "\(nowhere)/pipewire-0", installation: installation)
        return try ChildProcess(path(of: name), arguments, environment: environment)
    }

    /// The folder of the test bundle.
    package static let folder: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        precondition(length > 0, "the tests do not know where they are")
        let path = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }()
}
