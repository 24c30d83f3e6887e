// SPDX-License-Identifier: MIT

/// The monitor of a receiver that plays its mix by itself. Confined to the loop.
struct DeclaredMonitor {
    /// The sender that plays the mix.
    let port: PortHandle
    let memory: MonitorMemory

    /// The sender's name in the app.
    static func name(for receiver: String) -> String { "\(receiver)-monitor" }

    /// Checks whether the sender's name is short enough.
    static func check(receiver: String) throws {
        let most = Names.longestName - name(for: "").utf8.count
        guard receiver.utf8.count <= most else {
            throw PipeBusError(
                .invalidArgument,
                "A receiver that plays its mix by itself has a name of at most \(most) bytes; \"\(Names.shown(receiver))\" has \(receiver.utf8.count)."
            )
        }
    }

    /// The sender's name for people.
    static func title(for receiver: String) -> String {
        let title = "\(receiver) Monitor"
        return title.utf8.count <= Names.longestName ? title : "Monitor"
    }
}
