// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc
import PipeBus

/// A request that an app be there for the bus: by whom, and for which port.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct AppLaunch: Sendable, Hashable {
    /// The id of the app that asked, as it says itself.
    public let launcherID: String?
    /// Its name, for people.
    public let launcherName: String?
    /// The name of the port that is wanted; `nil` for the app as a whole.
    public let port: String?
    /// The daemon's socket, for `BusClient.connect(remote:)`; `nil` for the default. ``AppStart/request(to:within:)`` has it in time.
    public let remote: String?
    /// What a window system wants to see before it gives a window the focus: the app passes it on to its toolkit. `nil` where the user has
    /// not asked for the app to be shown.
    public let activationToken: String?

    init(
        launcherID: String? = nil, launcherName: String? = nil, port: String? = nil, remote: String? = nil,
        activationToken: String? = nil
    ) {
        self.launcherID = launcherID
        self.launcherName = launcherName
        self.port = port
        self.remote = remote
        self.activationToken = activationToken
    }
}

// What another process says is checked as if a person had typed it.
extension AppLaunch {
    /// The environment variables of an app that is started by its `Exec` line, and the keys of D-Bus platform data.
    enum Key {
        static let launcherVariable = "PIPEBUS_LAUNCHED_BY"
        static let portVariable = "PIPEBUS_LAUNCH_PORT"
        static let remoteVariable = "PIPEWIRE_REMOTE"
        static let tokenVariable = "XDG_ACTIVATION_TOKEN"
        static let startupVariable = "DESKTOP_STARTUP_ID"
        /// GIO's, with the process that it has started: the children of that inherit the others.
        static let processVariable = "GIO_LAUNCHED_DESKTOP_FILE_PID"
        /// What a program must not inherit from a launcher that was launched itself.
        static let variablesOfOneProgram = [launcherVariable, portVariable, tokenVariable, startupVariable]
        static let launcher = "org.pipebus.launched-by"
        static let remote = "org.pipebus.remote"
        static let token = "activation-token"
        static let startup = "desktop-startup-id"
        /// The action that asks for a port.
        static let portAction = "pipebus-port"
    }

    private static func checked(_ text: String?) -> String? {
        text.flatMap { (try? Names.check(text: $0, what: "")) == nil ? nil : $0 }
    }

    /// - Parameter launcher: an id, and after a space a name.
    private init(launcher: String?, port: String?, remote: String?, token: String?) {
        // By scalars: a name may begin with a mark.
        let words = (launcher ?? "").unicodeScalars.split(separator: " ", maxSplits: 1).map { String($0) }
        let id = words.first.flatMap { (try? Names.check(appID: $0)) == nil ? nil : $0 }
        self.init(
            launcherID: id, launcherName: id == nil ? nil : Self.checked(words.dropFirst().first),
            port: port.flatMap { (try? Names.check(name: $0, of: "a port")) == nil ? nil : $0 },
            remote: Self.checked(remote),
            activationToken: token.flatMap { 1...4096 ~= $0.utf8.count ? $0 : nil })
    }

    /// The request by which this process was started; `nil` if it was none.
    ///
    /// - Parameters:
    ///   - isLaunched: whether a process is the app for which another one was started.
    ///   - variable: reads an environment variable.
    init?(process: Int32, isLaunched: (Int32, Int32) -> Bool, variable: (String) -> String?) {
        guard let launcher = variable(Key.launcherVariable),
            let launched = variable(Key.processVariable).flatMap({ Int32($0) }), isLaunched(process, launched)
        else { return nil }
        self.init(
            launcher: launcher, port: variable(Key.portVariable), remote: variable(Key.remoteVariable),
            token: variable(Key.tokenVariable) ?? variable(Key.startupVariable))
    }

    init(port: String?, platformData: [String: DBusValue]) {
        self.init(
            launcher: platformData[Key.launcher]?.text, port: port, remote: platformData[Key.remote]?.text,
            token: platformData[Key.token]?.text ?? platformData[Key.startup]?.text)
    }

    private var launcher: String? { launcherID.map { id in launcherName.map { "\(id) \($0)" } ?? id } }

    /// The environment of an app that is started by its `Exec` line.
    var environment: [String: String] {
        var values: [String: String] = [:]
        values[Key.launcherVariable] = launcher
        values[Key.portVariable] = port
        values[Key.remoteVariable] = remote
        return values.merging(tokenVariables) { $1 }
    }

    /// The environment of an app that is started as from a menu.
    var tokenVariables: [String: String] {
        var values: [String: String] = [:]
        values[Key.tokenVariable] = activationToken
        values[Key.startupVariable] = activationToken
        return values
    }

    /// The platform data of a call to an app.
    var platformData: [String: DBusValue] {
        var values: [String: DBusValue] = [:]
        values[Key.launcher] = launcher.map { .string($0) }
        values[Key.remote] = remote.map { .string($0) }
        values[Key.token] = activationToken.map { .string($0) }
        values[Key.startup] = activationToken.map { .string($0) }
        return values
    }
}
