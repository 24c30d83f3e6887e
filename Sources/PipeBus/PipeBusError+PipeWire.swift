// SPDX-License-Identifier: MIT
import PipeWireClient

extension PipeBusError {
    init(_ error: PipeWireError) {
        switch error {
        case .noDaemon(let sockets):
            self.init(
                .noDaemon,
                "No PipeWire daemon answers at \(sockets.joined(separator: " or at ")); "
                    + "start PipeWire, or name another daemon.")
        case .noPermission(let what):
            self.init(.noPermission, "This user may not use \(what); run as the user whose PipeWire it is.")
        case .incompatible(let reason):
            self.init(.incompatible, "This PipeWire cannot be used: \(reason).")
        case .connectionLost(let reason):
            self.init(.connectionLost, "The PipeWire daemon went away (\(reason)); connect again once it is back.")
        case .closed:
            self.init(.closed, "This was closed before; connect again to go on.")
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
            self.init(.linkFailed, "Somebody removed the link while it was being made; try again.")
        case .nodeFailed(let reason):
            self.init(.pipeWire, "PipeWire ended the port: \(reason).")
        case .callFailed(let call, let code):
            self.init(.pipeWire, "PipeWire failed in \(call): \(PipeWireError.words(for: code)).")
        }
    }
}
