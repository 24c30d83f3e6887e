// SPDX-License-Identifier: MIT
import Glibc

/// A D-Bus daemon for one test, as the system bus is one: anybody may send signals there, own logind's name and call it.
///
/// It ends with ``close()`` or with this process.
///
/// - Thread: any.
package final class PrivateSystemBus: Sendable {
    /// The address for clients.
    package let address: String
    private let processGuard: ChildProcess
    private let pid: pid_t

    /// Starts a daemon and waits until it accepts connections.
    package static func start() async throws -> PrivateSystemBus {
        try await BlockingThread.run { try PrivateSystemBus() }
    }

    private init() throws {
        let directory = try PrivateDirectory.make()
        let socket = "\(directory)/bus"
        address = "unix:path=\(socket)"
        let configuration = "\(directory)/bus.conf"
        guard let file = unsafe fopen(configuration, "wxe") else {
            unsafe rmdir(directory)
            throw TestKitError("\(configuration) could not be written.")
        }
        unsafe fputs(Self.configuration(socket: socket), file)
        unsafe fclose(file)
        processGuard = try ProcessGuard.start(
            directory: directory, limit: .seconds(300),
            program: ["dbus-daemon", "--config-file=\(configuration)", "--nofork"])
        guard let first = processGuard.output.next(within: .seconds(10), where: { _ in true }), let pid = pid_t(first)
        else { throw processGuard.failure("did not start a bus") }
        self.pid = pid
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        while !Socket.accepts(socket) {
            guard !processGuard.errors.waitForEnd(within: .milliseconds(1)), ContinuousClock.now < deadline else {
                throw processGuard.failure("did not start a bus")
            }
        }
    }

    private static func configuration(socket: String) -> String {
        """
        <busconfig>
          <type>system</type>
          <listen>unix:path=\(socket)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow user="*"/>
            <allow own="org.freedesktop.login1"/>
            <allow send_type="signal"/>
            <allow send_destination="org.freedesktop.DBus"/>
            <allow send_destination="org.freedesktop.login1"/>
            <allow send_requested_reply="true" send_type="method_return"/>
            <allow send_requested_reply="true" send_type="error"/>
            <allow receive_type="method_call"/>
            <allow receive_type="signal"/>
            <allow receive_type="method_return"/>
            <allow receive_type="error"/>
          </policy>
        </busconfig>

        """
    }

    /// Sends the daemon a signal, for example to kill or stop it.
    package func signal(_ number: Int32) {
        // Until the guard has waited for it the number is the daemon's.
        if processGuard.ending == nil { _ = kill(pid, number) }
    }

    /// Ends the daemon. Idempotent.
    package func close() async throws {
        processGuard.closeInput()
        try await processGuard.waitForEnd(within: .seconds(10))
    }
}
