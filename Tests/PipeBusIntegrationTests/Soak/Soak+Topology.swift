// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting

/// Changes of the topology, as people and apps make them.
extension Soak {
    func changeTopology() async throws {
        summary.changed()
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<6: try await connectSome()
        case 6, 7: try await disconnectSome()
        case 8: try await setSomeVolume()
        case 9, 10: try await setSomeLatency()
        default: try await bypassSome()
        }
    }

    func connectSeveral() async throws {
        for _ in 0..<Int.random(in: 6...12, using: &random) { try await connectSome() }
    }

    private func note(_ text: String) {
        lastDeed = text
        log.write(text)
    }

    /// The ports in an order that does not depend on hashes.
    private func ports(_ kinds: Set<PortKind>) -> [SoakPort] {
        model.ports.values.filter { kinds.contains($0.kind) && !model.isReserved($0) }
            .sorted { $0.nodeName < $1.nodeName }
    }

    private var someEdge: SoakModel.Edge? {
        model.edges.filter { !$0.source.hasPrefix("Steady") }
            .sorted { $0.description < $1.description }.randomElement(using: &random)
    }

    private func connectSome() async throws {
        let edges = ports([.sender, .filter]).flatMap { source in
            ports([.filter, .receiver]).map {
                SoakModel.Edge(source: source.nodeName, destination: $0.nodeName)
            }
        }.filter { model.mayConnect($0) }
        guard let edge = edges.randomElement(using: &random), let source = model.ports[edge.source],
            let destination = model.ports[edge.destination]
        else { return }
        // A `clock-sender` is stereo: PipeBus does not connect it to mono ports.
        switch source.isForeign ? 0 : Int.random(in: 0..<4, using: &random) {
        case 0:
            let lane = Int.random(in: 1...SoakPort.lanes, using: &random)
            note("pw-link \(edge), lane \(lane)")
            // A link that is moved to another lane is made again, and pw-link fails.
            try await stage.tool("pw-link", source.output, destination.input(lane: lane))
        case 1 where stage.peer(of: destination) != nil:
            note("\(destination.app) connects \(edge)")
            try await stage.peer(of: destination)?.join(edge.source, to: edge.destination)
        case 2 where stage.peer(of: source) != nil:
            note("\(source.app) connects \(edge)")
            try await stage.peer(of: source)?.join(edge.source, to: edge.destination)
        default:
            note("the patchbay connects \(edge)")
            try await stage.patchbay.connect(edge.source, to: edge.destination)
        }
        model.connect(edge)
    }

    private func disconnectSome() async throws {
        guard let edge = someEdge else { return }
        note("the patchbay disconnects \(edge)")
        try await stage.patchbay.disconnect(edge.source, from: edge.destination)
        model.disconnect(edge)
    }

    private func setSomeVolume() async throws {
        guard let edge = someEdge, model.ports[edge.destination]?.kind == .receiver else { return }
        let quarters = [0, 1, 2, 4].randomElement(using: &random) ?? 4
        note("volume \(quarters)/4 of \(edge)")
        try await stage.patchbay.setLevel(.volume(Double(quarters) / 4), of: edge.source, at: edge.destination)
        model.setVolume(quarters, of: edge)
    }

    private func setSomeLatency() async throws {
        guard let port = ports([.sender, .filter]).randomElement(using: &random) else { return }
        let frames = [0, 64, 480, 1023, 4800].randomElement(using: &random) ?? 0
        note("latency \(frames) of \(port.nodeName)")
        model.setLatency(frames, of: port.nodeName)
        try await stage.setLatency(frames, of: port)
    }

    private func bypassSome() async throws {
        guard let port = ports([.filter]).randomElement(using: &random) else { return }
        let isBypassed = !model.bypassed.contains(port.nodeName)
        note("bypass \(isBypassed ? "on" : "off") of \(port.nodeName)")
        try await stage.patchbay.setBypassed(isBypassed, of: port.nodeName)
        model.setBypassed(isBypassed, port.nodeName)
    }
}
