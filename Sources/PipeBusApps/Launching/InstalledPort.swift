// SPDX-License-Identifier: MIT
public import PipeBus

/// A port of an installed app, whether the app runs or not.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct InstalledPort: Sendable, Hashable {
    /// The app, as its desktop entry describes it.
    public let app: InstalledApp
    /// One of the ports that it declares.
    public let port: AppPort

    package init(app: InstalledApp, port: AppPort) { (self.app, self.port) = (app, port) }

    /// Starts the app if it does not run, and waits until the port is there. The app is told that this port is wanted, and by whom.
    ///
    /// - Parameters: as ``InstalledApp/launch(for:activationToken:timeout:)``.
    /// - Throws: ``LaunchFailure``; ``PipeBusError`` `closed`; `CancellationError`.
    @discardableResult
    public func launch(
        for bus: BusClient, activationToken: String? = nil, timeout: Duration = .seconds(10)
    ) async throws -> GraphPort {
        try await app.launch(port, for: bus, activationToken: activationToken, timeout: timeout)
    }
}

extension InstalledApp {
    /// One of the app's ports, by its name or its title; `nil` without one.
    public func port(_ name: String) -> InstalledPort? {
        let port = ports.first { $0.name == name } ?? ports.first { $0.title == name }
        return port.map { InstalledPort(app: self, port: $0) }
    }

    /// Starts the app if it does not run, and waits until its first port is there.
    ///
    /// D-Bus starts the app where its entry says so (`DBusActivatable`), and otherwise its `Exec` line, which no shell reads. The program gets
    /// normal scheduling, and none of this process's descriptors; its output goes nowhere. Ten calls at once, in any number of processes, start the
    /// app once. If the task is cancelled before the port is there, a program that it has started gets SIGTERM.
    ///
    /// - Parameters:
    ///   - bus: the client in whose graph the port should be, and who asks.
    ///   - activationToken: what a window system wants to see before a window gets the focus, if the user wants to see the app.
    ///   - timeout: time limit for all of it.
    /// - Returns: the port in the graph.
    /// - Throws: ``LaunchFailure``; ``PipeBusError`` `closed`; `CancellationError`.
    @discardableResult
    public func launch(
        for bus: BusClient, activationToken: String? = nil, timeout: Duration = .seconds(10)
    ) async throws -> GraphPort {
        try await launch(nil, for: bus, activationToken: activationToken, timeout: timeout)
    }

    func launch(
        _ port: AppPort?, for bus: BusClient, activationToken: String?, timeout: Duration
    ) async throws -> GraphPort {
        let launch = AppLaunch(
            launcherID: bus.appID, launcherName: bus.name, port: port?.name, remote: bus.remoteForOthers,
            activationToken: activationToken)
        return try await AppLauncher(app: self, port: port, launch: launch, bus: bus, timeout: timeout).run()
    }
}
