// SPDX-License-Identifier: MIT

/// The apps that connections wait for which are to be made again while the daemon goes on. If such an app ends, its connections end with
/// it. Confined to the loop.
final class AwaitedApps {
    private struct Entry {
        /// The app's client, by its serial.
        let client: UInt64
        let isNeeded: () -> Bool
        let forget: () -> Void
    }

    private let connection: SessionConnection
    private let model: GraphModel
    private var entries: [Entry] = []

    init(on connection: SessionConnection, _ model: GraphModel) {
        self.connection = connection
        self.model = model
    }

    /// The client of a port's app, by its serial; `nil` if it is not known.
    func client(ofNodeWithSerial serial: UInt64) -> UInt64? {
        model.reducer.owner(ofNodeWithSerial: serial).flatMap(model.reducer.serial(ofClient:))
    }

    /// Calls `forget` when a client has ended, or if it has ended already.
    ///
    /// - Parameter isNeeded: whether the connection is still to be made again.
    func wait(for client: UInt64, while isNeeded: @escaping () -> Bool, orElse forget: @escaping () -> Void) {
        entries.removeAll { !$0.isNeeded() }
        entries.append(Entry(client: client, isNeeded: isNeeded, forget: forget))
        clientsChange()
    }

    /// A client is about to disappear, or has.
    ///
    /// What has ended is known after a round trip: a daemon that ends removes all clients first, and all connections are kept then.
    func clientsChange() {
        guard !entries.isEmpty else { return }
        connection.afterRoundTrip { [weak self] in self?.forgetEnded() }
    }

    private func forgetEnded() {
        guard connection.isOpen else { return }
        let ended = entries.filter { !model.reducer.hasClient(withSerial: $0.client) }
        entries.removeAll { !model.reducer.hasClient(withSerial: $0.client) }
        for entry in ended where entry.isNeeded() { entry.forget() }
    }
}
