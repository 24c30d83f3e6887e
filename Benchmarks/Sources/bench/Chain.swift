// SPDX-License-Identifier: MIT

/// Gain filters of one make in series while they run: they take from a sender, and a listener takes what the last one
/// gives.
struct Chain {
    /// How the filters are spread over programs.
    struct Layout {
        let filters: Int
        let isOneApp: Bool

        var title: String {
            filters == 1 ? "1 filter" : isOneApp ? "\(filters) in one app" : "\(filters) in \(filters) apps"
        }
    }

    private static let timeout = 30.0

    let programs: [Client]
    /// Reports the sound at the end. None of the filters, so that they do nothing but what they do for an app.
    let listener: Client

    /// - Parameters:
    ///   - name: of its figure.
    ///   - peer: of which make the filters are; without, the listener hears the sender itself.
    init(_ layout: Layout, named name: String, of peer: Peer?, on daemon: Daemon, in place: Workplace) throws {
        var clients: [Client] = []
        do {
            clients.append(
                try Client(.mixingFilter, name: "listener-to-\(name)", timeout: Self.timeout, in: place))
            if let peer, layout.isOneApp {
                clients.append(
                    try Client(
                        peer, name: name, filterCount: layout.filters, timeout: Self.timeout, in: place))
            } else if let peer {
                for number in 1...layout.filters {
                    clients.append(
                        try Client(
                            peer, name: "\(name)-\(number)", figure: name, timeout: Self.timeout, in: place))
                }
            }
            let nodes = clients.dropFirst().flatMap(\.nodes)
            try daemon.linkInSeries(["sender-1"] + nodes + clients[0].nodes, timeout: Self.timeout) {
                for client in clients { try client.program.checkAlive() }
            }
            for client in clients { try client.waitForCycles() }
        } catch {
            for client in clients { client.end() }
            throw error
        }
        listener = clients.removeFirst()
        programs = clients
    }

    func end() { for client in programs + [listener] { client.end() } }
}
