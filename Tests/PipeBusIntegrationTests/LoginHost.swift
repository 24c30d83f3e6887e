// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting

/// A `login-host`: it sends logind's signals on a private bus. See Tests/LoginHost.
struct LoginHost {
    let process: ChildProcess
    /// Its own name on the bus, as ":1.7".
    let name: String

    /// - Parameter isLogind: whether it owns logind's name.
    static func start(on bus: PrivateSystemBus, isLogind: Bool) async throws -> LoginHost {
        let process = try Programs.start("login-host", [bus.address, isLogind ? "logind" : "somebody"])
        let line = try await process.nextLine { $0.hasPrefix("ready ") || $0.hasPrefix("error ") }
        guard line.hasPrefix("ready ") else { throw process.failure(line) }
        return LoginHost(process: process, name: String(line.dropFirst("ready ".count)))
    }

    /// Sends a signal, and waits until the bus has it.
    func send(_ signal: String) async throws {
        process.send(signal)
        try await process.nextLine { $0 == "sent" }
    }

    func close() async throws {
        process.closeInput()
        try await process.waitForEnd()
    }
}
