// SPDX-License-Identifier: MIT
import PipeBus

/// An app with everything that can be declared.
///
/// | port | is |
/// | --- | --- |
/// | `in` | a receiver of separate streams, which checks each of its sources |
/// | `mix` | a receiver with a title, levels and monitoring |
/// | `fx` | a filter with latency, bypassed |
/// | `out` | a sender that runs after `in`, with latency, from a live source |
final class FullApp: Sendable {
    let probe = SourcesProbe()
    private let bus: BusClient
    private let input: ReceiverPort
    private let mix: ReceiverPort

    init(on bus: BusClient) async throws {
        self.bus = bus
        input = try await bus.separateReceiver(
            "in", channels: .mono, alignment: .immediate, fade: .none, state: probe
        ) { probe, cycle, sources in probe.receive(cycle, sources) }
        mix = try await bus.receiver("mix", title: "Everything", channels: .mono, isMonitoring: true, state: ()) {
            _, _, _ in
        }
        let filter = try await bus.filter("fx", inputs: .mono, latency: 64, state: ()) { _, _, input, output in
            for frame in 0..<output.frameCount { output[0, frame] = input[0, frame] }
        }
        try await filter.setBypassed(true)
        _ = try await bus.sender(
            "out", channels: .mono, latency: 480, isFromLiveSource: true, after: ["in"], state: ()
        ) { _, _, output in output.fill(0) { _ in 0.125 } }
    }

    private func source(_ title: String, of port: String) async throws -> (ReceiverPort, Source) {
        let receiver = port == "mix" ? mix : input
        let sources = try await receiver.sources
        guard let source = sources.first(where: { $0.title.hasPrefix(title) }) else {
            throw PipeBusError(.notConnected, "\(port) has no source \(title).")
        }
        return (receiver, source)
    }

    func setTag(_ tag: UInt64, of title: String, at port: String) async throws {
        let (receiver, source) = try await source(title, of: port)
        try await receiver.setTag(tag, for: source.id)
    }

    func setVolume(_ volume: Double, of title: String, at port: String) async throws {
        let (receiver, source) = try await source(title, of: port)
        try await receiver.setVolume(volume, for: source.id)
    }

    /// Without values of a single session.
    var description: [String] {
        get async throws {
            let graph = await bus.graph
            var lines = graph.ports.filter { $0.nodeName.hasPrefix("\(bus.name).") }.map { port in
                let sources = graph.sources(of: port.id).map(\.nodeName).sorted()
                let destinations = graph.destinations(of: port.id).map(\.nodeName).sorted()
                return "\(port.kind) \(port.nodeName) “\(port.title)” \(port.isMonitoring) \(port.isLiveSource) "
                    + "\(port.isBypassed) \(port.laneCount) from \(sources) to \(destinations)"
            }
            for receiver in [input, mix] {
                for source in try await receiver.sources {
                    lines.append(
                        "\(receiver.name) has \(source.title) \(source.level) \(source.tag) \(source.latency.frames) "
                            + "\(source.isStalled)")
                }
            }
            return lines.sorted()
        }
    }
}
