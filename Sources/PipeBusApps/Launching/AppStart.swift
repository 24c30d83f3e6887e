// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc

/// How this process was started.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum AppStart: Sendable, Hashable {
    /// As any program: by the user, from a menu or a shell.
    case normal
    /// For the bus, by the app's `Exec` line.
    case forBus(AppLaunch)
    /// By D-Bus, which has a request: ``AppService`` gets it a moment later, and ``request(to:within:)`` waits for it.
    case byDBus

    /// That of this process. It does not change.
    public static let ofProcess = AppStart(process: getpid(), isLaunched: isLaunched) { name in
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Whether a process is the app that another one, its ancestor, was started for: a script may stand between them, and no app.
    private static func isLaunched(_ process: Int32, as launched: Int32) -> Bool {
        var process = process
        for _ in 0..<16 where process != launched {
            guard let parent = ProcessFacts(pid: process).parent, parent > 1,
                ProcessFacts(pid: parent).usesPipeWire == false
            else { return false }
            process = parent
        }
        return process == launched
    }

    /// The request by which this process was started, for an app that asks before it connects: it says at which daemon the app is wanted.
    ///
    /// ```swift
    /// let launch = await AppStart.request(to: "org.example.synth")
    /// let bus = try await BusClient.connect(as: "org.example.synth", name: "Voice Synth", remote: launch?.remote)
    /// ```
    ///
    /// What D-Bus starts gets its request when it has its name on the bus. So it takes the name here, and ``AppService`` takes it over, with the
    /// requests that come meanwhile; start one soon.
    ///
    /// - Parameters:
    ///   - id: the app's.
    ///   - limit: time limit for the request, where D-Bus has started the process.
    /// - Returns: `nil` after a normal start, or if no request comes.
    public static func request(to id: String, within limit: Duration = .seconds(1)) async -> AppLaunch? {
        switch ofProcess {
        case .normal: return nil
        case .forBus(let launch): return launch
        case .byDBus:
            let inbox = try? await RequestInbox.early(forApp: id)
            switch await inbox?.firstRequest(within: limit) {
            case .port(let launch), .show(let launch): return launch
            case nil: return nil
            }
        }
    }

    init(
        process: Int32, isLaunched: (Int32, Int32) -> Bool = { $0 == $1 }, variable: (String) -> String?
    ) {
        if let launch = AppLaunch(process: process, isLaunched: isLaunched, variable: variable) {
            self = .forBus(launch)
        } else {
            // The bus sets it for what it starts. A child of that inherits it, and has no name of its own to be called by.
            self = variable("DBUS_STARTER_BUS_TYPE") == "session" ? .byDBus : .normal
        }
    }
}
