// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTesting

/// A user's session for one test: a session bus, and folders for desktop entries and services. Its apps find the test's daemon.
///
/// - Thread: any.
package final class DesktopSession: Sendable {
    /// That of every program of the session, the bus's services included.
    package let environment: [String: String]
    package let folder: String
    private let bus: ChildProcess

    /// - Parameters:
    ///   - folder: exists, and is removed by the test.
    ///   - daemon: the environment of the test's daemon.
    ///   - packages: the folders of packages' data, with colons between; one in the folder unless given.
    package static func start(
        in folder: String, daemon: [String: String], packages: String? = nil
    ) async throws -> DesktopSession {
        let session = try DesktopSession(folder, daemon, packages ?? "\(folder)/packages")
        _ = try await session.bus.nextLine()
        return session
    }

    private init(_ folder: String, _ daemon: [String: String], _ packages: String) throws {
        self.folder = folder
        var environment = daemon
        environment["HOME"] = folder
        environment["XDG_DATA_HOME"] = "\(folder)/data"
        environment["XDG_DATA_DIRS"] = packages
        environment["XDG_CONFIG_HOME"] = "\(folder)/config"
        environment["XDG_RUNTIME_DIR"] = "\(folder)/run"
        environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(folder)/run/bus"
        environment["PIPEWIRE_DEBUG"] = "0"
        for name in ["data/applications", "data/dbus-1/services", "packages/applications", "run"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(name)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        self.environment = environment
        bus = try ChildProcess(
            "dbus-daemon", ["--session", "--nofork", "--print-address", "--address=unix:path=\(folder)/run/bus"],
            environment: environment)
    }

    /// Sends the bus a signal.
    package func signalBus(_ number: Int32) { bus.signal(number) }

    /// Installs an `app-host`, or another program of the same arguments, as a package would.
    ///
    /// - Parameters:
    ///   - ports: its senders, and with "=filter" behind their names its mono filters, or as in "=filter2" of more channels.
    ///   - furtherWords: the end of the Exec line, as it is.
    ///   - isDBusActivatable: whether the bus starts it, by a service file.
    package func install(
        _ id: String, name: String, mode: String = "well", program: String = "app-host", ports: [String],
        isDBusActivatable: Bool = false, hasService: Bool = true, furtherWords: String = ""
    ) throws {
        let exec =
            ([Programs.path(of: program), id, "\"\(name)\"", log(of: id), mode] + ports).joined(
                separator: " ") + furtherWords
        let declared = ports.map { port in
            let parts = port.split(separator: "=")
            return parts.count > 1 ? "\(parts[0]):filter:\(Int(parts[1].dropFirst(6)) ?? 1):" : "\(port):sender:1:"
        }.joined(separator: ";")
        try """
        [Desktop Entry]
        Type=Application
        Name=\(name)
        Exec=\(exec)
        DBusActivatable=\(isDBusActivatable)
        Implements=org.pipebus.Port1;
        X-PipeBus-Ports=\(declared)

        """.write(toFile: "\(folder)/packages/applications/\(id).desktop", atomically: true, encoding: .utf8)
        guard isDBusActivatable, hasService else { return }
        try """
        [D-BUS Service]
        Name=\(id)
        Exec=\(exec)

        """.write(toFile: "\(folder)/data/dbus-1/services/\(id).service", atomically: true, encoding: .utf8)
    }

    /// Installs another program of the package, with arguments of its own.
    ///
    /// - Parameter ports: as the desktop entry has them.
    package func install(
        _ id: String, name: String, running program: String, _ arguments: [String], ports: String
    ) throws {
        try """
        [Desktop Entry]
        Type=Application
        Name=\(name)
        Exec=\(([Programs.path(of: program)] + arguments).joined(separator: " "))
        Implements=org.pipebus.Port1;
        X-PipeBus-Ports=\(ports)

        """.write(toFile: "\(folder)/packages/applications/\(id).desktop", atomically: true, encoding: .utf8)
    }

    package func log(of id: String) -> String { "\(folder)/\(id).log" }

    /// What an `app-host` has written: a line for each event, without the process.
    package func events(of id: String) -> [String] {
        lines(of: id).map { String($0.split(separator: " ", maxSplits: 1).last ?? "") }
    }

    /// The processes of an `app-host` that have been started.
    package func processes(of id: String) -> Set<Int32> {
        Set(lines(of: id).compactMap { $0.split(separator: " ").first.flatMap { Int32($0) } })
    }

    private func lines(of id: String) -> [Substring] {
        ((try? String(contentsOfFile: log(of: id), encoding: .utf8)) ?? "").split(separator: "\n")
    }

    /// Sets the size of the state that an `app-host` gives, in bytes; 5 without one.
    package func setStateSize(_ size: Int?, of id: String) throws {
        try size.map(String.init)?.write(toFile: log(of: id) + ".size", atomically: true, encoding: .utf8)
    }

    /// Lets an app's entry name another program.
    package func replaceExec(of id: String, by program: String) throws {
        let path = "\(folder)/packages/applications/\(id).desktop"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
            $0.hasPrefix("Exec=") ? "Exec=\(program)" : String($0)
        }
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Ends the processes of an `app-host`, and forgets what it has written.
    package func endHosts(_ id: String) async throws {
        for pid in processes(of: id) where isHost(pid) { kill(pid, SIGKILL) }
        try await eventually("the end of \(id)") { self.processes(of: id).allSatisfy { !self.isHost($0) } }
        try? FileManager.default.removeItem(atPath: log(of: id))
    }

    /// Ends the bus and every `app-host` of the session.
    package func close(_ ids: [String]) async throws {
        for id in ids { try await endHosts(id) }
        bus.signal(SIGTERM)
        try await bus.waitForEnd()
    }

    /// Whether a process is still the one that has written the log.
    private func isHost(_ pid: Int32) -> Bool {
        (try? String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8))?.contains("-host\0") == true
    }
}
