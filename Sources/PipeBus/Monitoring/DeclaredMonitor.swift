// SPDX-License-Identifier: MIT

/// The monitor of a receiver that plays its mix by itself. Confined to the loop.
struct DeclaredMonitor {
    /// The sender that plays the mix.
    let port: PortHandle
    let memory: MonitorMemory

    /// The sender's name in the app.
    static func name(for receiver: String) -> String { "\(receiver)-monitor" }

    /// The sender's name for people.
    static func title(for receiver: String) -> String {
        let title = "\(receiver) Monitor"
        return title.utf8.count <= Names.longestName ? title : "Monitor"
    }
}
