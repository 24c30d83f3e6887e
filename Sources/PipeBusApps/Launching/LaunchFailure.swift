// SPDX-License-Identifier: MIT
import PipeBus

/// The reason why an app, or a port of it, is not there after it was launched.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum LaunchFailure: Error, Sendable, Hashable {
    /// No installed app of this id or name declares ports.
    case notInstalled(app: String)
    /// The app declares no such port.
    case unknownPort(app: String, port: String)
    /// Only D-Bus starts the app, and there is no session bus.
    case noSessionBus(app: String)
    /// The program could not be started, for this reason.
    case wouldNotStart(app: String, reason: String)
    /// The program ended with an exit status before its port was there.
    case exited(app: String, status: Int32)
    /// A signal ended the program before its port was there.
    case killed(app: String, signal: Int32)
    /// The app did not answer the bus within the time limit.
    case noAnswer(app: String, after: Duration)
    /// The app was started, and the port did not come within the time limit. The ports that it has are listed. If it has none, and its program
    /// still runs, that is its process; the next launch starts no other one.
    case portMissing(app: String, port: String, present: [String], process: Int32?, after: Duration)
    /// The app was started, and runs under another id than the file name of its desktop entry says; `nil` if it gives none.
    case otherID(app: String, id: String?, entry: String)
}

extension LaunchFailure: CustomStringConvertible {
    /// One sentence that says what to do.
    public var description: String {
        switch self {
        case .notInstalled(let app):
            "No app called \"\(Names.shown(app))\" is installed that declares ports; \"pipebus list --all\" shows those that are."
        case .unknownPort(let app, let port):
            "\(Names.shown(app)) declares no port \"\(Names.shown(port))\"; \"pipebus list --all\" shows those that it declares."
        case .noSessionBus(let app):
            "\(Names.shown(app)) is started over D-Bus, and there is no session bus; start it by hand, or set DBUS_SESSION_BUS_ADDRESS."
        case .wouldNotStart(let app, let reason):
            "\(Names.shown(app)) could not be started (\(Names.shown(reason, atMost: 256))); start it by hand to see why."
        case .exited(let app, let status):
            "\(Names.shown(app)) was started and ended at once with status \(status); start it by hand to see why."
        case .killed(let app, let signal):
            "\(Names.shown(app)) was started and was ended by signal \(signal) at once; start it by hand to see why."
        case .noAnswer(let app, let limit):
            "\(Names.shown(app)) did not answer within \(Self.words(limit)) of its start; it may hang, so end it and try again."
        case .portMissing(let app, let port, let present, let process, let limit):
            "\(Names.shown(app)) was started, and its port \"\(Names.shown(port))\" did not come within \(Self.words(limit)); "
                + (present.isEmpty
                    ? "it has no port\(process.map { ", and runs as process \($0): end that, and start it by hand to see why" } ?? "")."
                    : "it has \(present.map { "\"\(Names.shown($0))\"" }.joined(separator: ", ")).")
        case .otherID(let app, let id, let entry):
            "\(Names.shown(app)) runs \(id.map { "under the id \"\(Names.shown($0))\"" } ?? "without an id"), and its entry is named "
                + "\(Names.shown(Self.fileName(of: entry))); name the file by the app's id."
        }
    }

    private static func fileName(of path: String) -> String {
        path.unicodeScalars.lastIndex(of: "/").map { String(path[path.unicodeScalars.index(after: $0)...]) } ?? path
    }

    static func words(_ limit: Duration) -> String {
        let seconds = limit / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(Int((seconds * 1000).rounded())) ms"
    }
}
