// SPDX-License-Identifier: MIT
import Glibc
import PipeWireClient

extension PipeBusError {
    init(_ error: PipeWireError) {
        switch error {
        case .noDaemon(let sockets, let hasRuntimeDirectory):
            self.init(
                .noDaemon,
                "No PipeWire daemon answers at \(sockets.joined(separator: " or at ")); "
                    + (hasRuntimeDirectory
                        ? "start it, or name another one (PIPEWIRE_REMOTE)."
                        : "set XDG_RUNTIME_DIR, which says where a user's own daemon is, or name another daemon (PIPEWIRE_REMOTE).")
            )
        case .noPermission(let what):
            self.init(.noPermission, "This user may not use \(what); run as the user whose PipeWire it is.")
        case .incompatible(let reason):
            self.init(.incompatible, "This PipeWire cannot be used: \(reason).")
        case .connectionLost(let loss): self.init(.connectionLost, Self.sentence(for: loss))
        case .closed:
            self.init(.closed, "The client was closed before; connect again to go on.")
        case .timedOut(let what):
            self.init(.timedOut, "Gave up: \(what).")
        case .linkExists:
            self.init(.alreadyConnected, "The two ports are linked already.")
        case .linkRefused(let reason):
            self.init(.noPermission, "PipeWire does not let this app change the links of these ports (\(reason)).")
        case .badPort(let reason):
            self.init(.unknownPort, "A port went away before it could be linked (\(reason)).")
        case .negotiationFailed(let reason):
            self.init(.linkFailed, "PipeWire could not link the ports: \(reason).")
        case .linkRemoved:
            self.init(.linkFailed, "Another program removed the link while it was being made; try again.")
        case .nodeFailed(let reason):
            self.init(.pipeWire, "PipeWire ended the port: \(reason).")
        case .callFailed(let call, let code):
            self.init(
                .pipeWire, "PipeWire failed in \(call): \(PipeWireError.words(for: code))\(Self.hint(for: code)).")
        }
    }

    private static func sentence(for loss: ConnectionLoss) -> String {
        switch loss {
        case .daemonGone, .daemonRestarted: "The PipeWire daemon has ended; the app connects again when one runs."
        case .removed:
            "The PipeWire daemon runs on, but has ended this app's connection, as it does when another program removes the app "
                + "from the graph; start the app again to go on."
        case .fewDescriptors(let left, let limit):
            "The connection to PipeWire broke, and this process has only \(left) of its \(limit) file descriptors left; "
                + "allow it more (ulimit -n)."
        case .unanswered:
            "The connection to PipeWire ended, and no daemon answers since; the app connects again when one does. If none does, "
                + "restart PipeWire."
        case .malformed(let reason), .unknown(let reason):
            "The connection to the PipeWire daemon broke (\(reason))."
        }
    }

    /// A hint at the cause behind an error. libpipewire loads modules while it works. Of a module that could not be
    /// opened for lack of a descriptor it reports that the file does not exist.
    private static func hint(for code: Int32) -> String {
        if let scarcity = DescriptorScarcity.now {
            return
                "; this process has only \(scarcity.left) of its \(scarcity.limit) file descriptors left, allow it more "
                + "(ulimit -n)"
        }
        if code == EAGAIN || code == ENOMEM {
            return "; this process may have no more threads or memory, allow it more (ulimit -u, ulimit -v)"
        }
        return ""
    }
}
