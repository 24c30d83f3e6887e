// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The errors of commands that do one thing and end. PipeBus says of a lost connection that the app connects again, which such
/// a command does not. Pure.
enum CommandFailure {
    /// - Parameter state: the client's, before it is closed; `nil` if it was being connected.
    static func of(_ error: any Error, in state: BusClient.State?) -> any Error {
        guard let lost = error as? PipeBusError, lost.code == .connectionLost else { return error }
        switch state {
        case nil:
            return ToolFailure(
                "The PipeWire daemon has ended, or it has closed the connection; start it, and give the command again.")
        case .running:
            return ToolFailure("The connection to PipeWire was lost, and is back; give the command again.")
        case .interrupted(let reason) where reason.kind == .daemonGone:
            return ToolFailure("The PipeWire daemon has ended; start it, and give the command again.")
        case .interrupted(let reason) where reason.kind == .notResponding:
            return ToolFailure(
                "The PipeWire daemon does not answer; restart it if it stays so, and give the command again.")
        default: return error
        }
    }
}
