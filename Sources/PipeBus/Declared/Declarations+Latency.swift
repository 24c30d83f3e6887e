// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Checks of latencies that a port declares.
extension Declarations {
    /// Checks a new latency of a port that exists.
    func check(_ latency: PortLatency, of port: DeclaredPort) throws {
        try check(latency, of: port.name)
        // A sender that follows a receiver must run after it, and that order is declared when the port is made.
        if let receiver = latency.receiver, !port.declaration.after.contains(receiver) {
            throw PipeBusError(
                .invalidArgument,
                "\(port.title) can follow \"\(Names.shown(receiver))\" only if it was made to run after it; "
                    + "add the port with after: or latency: naming it.")
        }
    }

    /// Checks the latency of a port, which may be a new one.
    func check(_ latency: PortLatency, of name: String) throws {
        try PortChecks.check(latency: latency.ownFrames)
        guard let receiver = latency.receiver else { return }
        try Names.check(name: receiver, of: "a receiver whose latency is followed")
        guard receiver != name, ports.first(where: { $0.name == receiver })?.declaration.kind ?? .receiver == .receiver
        else {
            throw PipeBusError(
                .invalidArgument,
                "A sender can follow the latency of a receiver only, and \"\(Names.shown(receiver))\" is none.")
        }
    }
}
