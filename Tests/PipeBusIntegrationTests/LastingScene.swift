// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting

/// A sender and a receiver of two apps, whose connection has lasted long enough to be made again, and an observer.
struct LastingScene {
    enum Maker: CaseIterable { case giver, taker, patchbay }

    let maker: Maker
    let daemon: HeadlessPipeWire
    let buses: [BusClient]
    let channels: ChannelLayout

    static func start(
        _ maker: Maker, channels: ChannelLayout = .stereo, on daemon: HeadlessPipeWire
    ) async throws -> LastingScene {
        var buses: [BusClient] = []
        for name in ["Giver", "Taker", "Bay"] {
            buses.append(
                try await BusClient.connect(
                    as: "org.pipebus.\(name)", name: name, remote: daemon.remote, allowsConnectionsToSelf: true))
        }
        _ = try await buses[0].sender("out", channels: channels, state: ()) { _, _, _ in }
        _ = try await buses[1].receiver("in", channels: channels, state: ()) { _, _, _ in }
        let scene = LastingScene(maker: maker, daemon: daemon, buses: buses, channels: channels)
        try await scene.connect()
        return scene
    }

    /// Connects the two, and waits until the connection has lasted.
    func connect() async throws {
        switch maker {
        case .giver: try await buses[0].connect("Giver.out", to: "Taker.in")
        case .taker: try await buses[1].connect("Giver.out", to: "Taker.in")
        case .patchbay:
            for channel in channels.count == 1 ? ["MONO"] : ["FL", "FR"] {
                try await daemon.perform("pw-link", "Giver.out:output_\(channel)", "Taker.in:input_1_\(channel)")
            }
        }
        try await waitUntilConnected()
        let connected = ContinuousClock.now
        // Younger connections of others are not made again.
        try await eventually("some time to pass") { connected.duration(to: .now) > .milliseconds(1500) }
    }

    func waitUntilConnected() async throws {
        try await eventually("all links") { await links() == channels.count }
    }

    /// By the observer's graph: it sees both apps alike.
    func links() async -> Int {
        let graph = await buses[2].graph
        guard let source = graph.ports.first(where: { $0.nodeName == "Giver.out" }),
            let destination = graph.ports.first(where: { $0.nodeName == "Taker.in" })
        else { return 0 }
        return graph.connection(from: source.id, to: destination.id)?.links.count ?? 0
    }

    /// The inputs of the receiver that have a link.
    func inputs() async -> [Int] {
        let graph = await buses[2].graph
        return graph.connections.flatMap { $0.links.map(\.input) }.sorted()
    }

    func destroyNode(_ name: String) async throws {
        try await destroy(name) { _, node in node.id }
    }

    func destroyChannel(_ index: Int, of name: String) async throws {
        try await destroy(name) { dump, node in
            let channels = dump.objects.filter { $0.type == "Port" && $0.properties["node.id"] == "\(node.id)" }
            return channels.map(\.id).sorted()[index]
        }
    }

    /// Destroys an object of a port's node when the node is there, and waits for the next node of that name.
    private func destroy(_ name: String, _ object: (GraphDump, GraphDump.Object) -> Int) async throws {
        let (id, old) = try await eventualResult(name) { () -> (Int, String?)? in
            let dump = try await GraphDump.take(daemon, client: daemon.installation)
            return dump.nodes(named: name).first.map { (object(dump, $0), $0.serial) }
        }
        try await daemon.perform("pw-cli", "destroy", "\(id)")
        try await eventually("another node") {
            await buses[2].graph.ports.contains { $0.nodeName == name && "\($0.id.serial)" != old }
        }
    }

    func close() async { for bus in buses { await bus.close() } }
}
