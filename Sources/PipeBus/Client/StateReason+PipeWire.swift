// SPDX-License-Identifier: MIT
import PipeWireClient

extension StateReason {
    /// The reason behind a lost connection.
    init(_ loss: ConnectionLoss) {
        switch loss {
        case .daemonGone, .daemonRestarted:
            self.init(.daemonGone, "The PipeWire daemon has ended; the app connects again when one runs.")
        case .removed:
            self.init(.removed, PipeBusError(PipeWireError.connectionLost(loss)).message)
        case .fewDescriptors:
            self.init(.outOfDescriptors, PipeBusError(PipeWireError.connectionLost(loss)).message)
        case .unanswered:
            self.init(.notResponding, PipeBusError(PipeWireError.connectionLost(loss)).message)
        case .malformed, .unknown:
            self.init(.failed, PipeBusError(PipeWireError.connectionLost(loss)).message)
        }
    }

    /// The reason why a session could not be opened.
    init(openingFailure error: PipeWireError, isInstalled: Bool) {
        let message = PipeBusError(error).message
        switch error {
        case .noDaemon:
            if isInstalled {
                self.init(.notRunning, message)
            } else {
                self.init(.notInstalled, Self.notInstalledMessage)
            }
        case .connectionLost(let loss): self.init(loss)
        case .noPermission: self.init(.noPermission, message)
        case .incompatible: self.init(.incompatible, message)
        case .timedOut(let what):
            self.init(.notResponding, "\(what.prefix(1).uppercased())\(what.dropFirst()); the app goes on trying.")
        default:
            self.init(DescriptorScarcity.now == nil ? .failed : .outOfDescriptors, message)
        }
    }

    /// - Parameter port: the title of a port that should run.
    static func noDriver(at port: String) -> StateReason {
        StateReason(
            .noDriver,
            "Nothing drives the graph: no cycle has come for 2 s, though \(port) should run. Check the sound device.",
            isConnectionLost: false)
    }

    /// - Parameter port: the title of a port that should run.
    static func silentDaemon(at port: String) -> StateReason {
        StateReason(
            .notResponding,
            "The PipeWire daemon does not answer, and \(port) does not run; the app goes on when it does. If it does not, "
                + "restart the daemon.", isConnectionLost: false)
    }

    /// The same of an app whose ports do not matter.
    ///
    /// - Parameter isConnectionLost: whether the daemon has ended the connection before.
    static func silentDaemon(isConnectionLost: Bool) -> StateReason {
        StateReason(
            .notResponding,
            "The PipeWire daemon does not answer; the app goes on when it does. If it does not, restart the daemon.",
            isConnectionLost: isConnectionLost)
    }

    /// - Parameter port: the title of the port.
    static func overloaded(_ port: String) -> StateReason {
        StateReason(
            .overloaded,
            "\(port) is overloaded: its process block takes longer than a cycle, or does not return, so sound is lost; give "
                + "it less to do, make the graph's cycles (its quantum) longer, or restart the app if it hangs.",
            isConnectionLost: false)
    }

    static let closedByApp = StateReason(.closedByApp, "The app closed its connection.")

    static let systemSleeps = StateReason(
        .suspended, "The computer goes to sleep; the sound comes back when it wakes up.", isConnectionLost: false)

    static func systemSlept(for duration: Duration) -> StateReason {
        StateReason(
            .suspended, "The computer slept for \(duration.roundedInWords).", isConnectionLost: false)
    }

    static func processStopped(for duration: Duration) -> StateReason {
        StateReason(
            .suspended,
            "This app did not run for \(duration.roundedInWords): it was stopped or frozen by another program, or the "
                + "computer was.", isConnectionLost: false)
    }

    static let notInstalledMessage =
        "PipeWire is not installed; install it (on Debian and Ubuntu: apt install pipewire), and start it."

    var saysThatNoDaemonRuns: Bool { [.notRunning, .notInstalled, .daemonGone].contains(kind) }
}
