// SPDX-License-Identifier: MIT
import Foundation
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The daemon, the apps, and this process's own app and patchbay.
final class SoakStage {
    let daemon: HeadlessPipeWire
    /// An app in this process, with a sender and a receiver.
    let test: BusClient
    /// Sees the graph, and connects others' ports.
    let patchbay: BusClient
    let apps: [SoakApp]
    let ownPorts: [SoakPort]
    private let ownProbes: [String: SumProbe]
    private let own: [LocalPort]

    static let appCount = 5
    static let foreignCount = 2

    init(on daemon: HeadlessPipeWire) async throws {
        self.daemon = daemon
        test = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        patchbay = try await BusClient.connect(as: "org.pipebus.patchbay", name: "Patchbay", remote: daemon.remote)
        let (sent, heard) = (SumProbe(), SumProbe())
        let output = try await test.sender("out", channels: .mono, state: sent) { probe, cycle, output in
            probe.begin(cycle)
            var samples = output[0]
            SumProbe.signal.fill(&samples, from: cycle.position, channel: 0)
            probe.end()
        }
        let input = try await test.receiver(
            "in", channels: .mono, lanes: SoakPort.lanes, fade: .none, panLaw: .balance, state: heard
        ) { probe, cycle, mix in
            probe.begin(cycle)
            probe.check(cycle, mix[0])
            probe.end()
        }
        own = [output, input]
        ownPorts = [
            SoakPort(app: "Test", name: "out", kind: .sender), SoakPort(app: "Test", name: "in", kind: .receiver),
        ]
        ownProbes = ["Test.out": sent, "Test.in": heard]
        apps =
            ["SteadyA", "SteadyB", "SteadyC"].map { SoakApp($0) }
            + (1...Self.appCount).map { SoakApp("App\($0)") }
            + (1...Self.foreignCount).map { SoakApp("Foreign\($0)", isForeign: true) }
    }

    func app(_ name: String) -> SoakApp? { apps.first { $0.name == name } }
    func peer(of port: SoakPort) -> Peer? { app(port.app)?.peer }

    /// - Parameter port: a sender or a filter of an app that runs.
    func setLatency(_ frames: Int, of port: SoakPort) async throws {
        if ownPorts.contains(where: { $0.nodeName == port.nodeName }) {
            for case let sender as SenderPort in own { try await sender.setLatency(.frames(frames)) }
        } else if port.isForeign {
            try await XCTUnwrap(app(port.app)?.sender, port.nodeName).setLatency(frames)
        } else {
            try await XCTUnwrap(peer(of: port), port.nodeName).setLatency(frames, of: port.name)
        }
    }

    // MARK: What ports heard

    func sum(_ port: SoakPort) async throws -> SumReport? {
        if let probe = ownProbes[port.nodeName] { return probe.report }
        return try await peer(of: port)?.sum(port.name)
    }

    func resetSum(_ port: SoakPort) async throws {
        if let probe = ownProbes[port.nodeName] { return probe.reset() }
        _ = try await peer(of: port)?.perform(.resetSum(port: port.name))
    }

    // MARK: Tools

    /// Runs a program of PipeWire; whether it succeeded.
    @discardableResult
    func tool(_ program: String, _ arguments: String...) async throws -> Bool {
        try await daemon.run(program, arguments, client: daemon.installation).waitForEnd(within: .seconds(20))
            == .exited(0)
    }

    /// What is wrong with the graph; `nil` if it is what the model says.
    func difference(from model: SoakModel) async -> String? {
        guard patchbay.state == .running, test.state == .running else {
            return "this process is \(test.state), \(patchbay.state)"
        }
        let graph = await patchbay.graph
        var names: [GraphPort.ID: String] = [:]
        for port in graph.ports where !port.isDevice { names[port.id] = port.nodeName }
        let expected = model.ports.keys.sorted()
        let present = names.values.filter { model.ports[$0] != nil || $0.contains(".") }.sorted()
        guard expected == present else {
            return "ports: missing \(Set(expected).subtracting(present).sorted()), "
                + "too many \(Set(present).subtracting(expected).sorted()), \(present.count) of \(expected.count)"
        }
        var edges: [SoakModel.Edge: Int] = [:]
        for connection in graph.connections {
            guard let source = names[connection.source], let destination = names[connection.destination] else {
                return "a connection without ports"
            }
            edges[SoakModel.Edge(source: source, destination: destination), default: 0] += connection.links.count
        }
        let missing = model.edges.subtracting(edges.keys)
        let extra = Set(edges.keys).subtracting(model.edges)
        guard missing.isEmpty, extra.isEmpty else {
            return "connections: missing \(missing.map(\.description).sorted()), "
                + "too many \(extra.map(\.description).sorted())"
        }
        let doubled = edges.filter { $0.value != 1 }
        return doubled.isEmpty ? await unfinishedSource(model) : "connections with several links: \(doubled)"
    }

    /// A source that an app is about to disconnect, or has disconnected, or whose sound has another age than it should; `nil` if
    /// there is none. An app that was stopped before it could remove the link does so when it goes on, though everything is back in
    /// the daemon.
    private func unfinishedSource(_ model: SoakModel) async -> String? {
        for app in apps where app.isRunning {
            for port in app.ports where port.kind == .receiver {
                guard let sources = try? await app.peer?.sources(port.name) else { continue }
                for source in sources {
                    if source.isStalled { return "\(source.title) is stalled at \(port.nodeName)" }
                    let age = model.age(of: source.title.replacingOccurrences(of: " ", with: "."))
                    if source.latency != age {
                        return "\(source.title) has a latency of \(source.latency) at \(port.nodeName), and not \(age)"
                    }
                }
            }
        }
        return nil
    }

    /// All that may explain a failure: the sources of every receiver, and the daemon's own description of the graph in a file.
    func describe(in path: String) async -> String {
        var lines: [String] = []
        for case let input as ReceiverPort in own {
            guard let sources = try? await input.sources else { continue }
            for source in sources {
                lines.append(
                    "Test.in: lane \(source.lane) \(source.title), \(source.level), delay \(source.delay), "
                        + "stalled \(source.isStalled), from itself \(source.isFromSelf), "
                        + "peak \(input.meter(ofLane: source.lane).peak)")
            }
        }
        for app in apps where app.isRunning {
            for port in app.ports where port.kind == .receiver {
                guard let sources = try? await app.peer?.sources(port.name) else { continue }
                lines += sources.map {
                    "\(port.nodeName): lane \($0.lane) \($0.title), latency \($0.latency), delay \($0.delay), "
                        + "stalled \($0.isStalled)"
                }
            }
        }
        if let tool = try? daemon.run("pw-dump", client: daemon.installation),
            (try? await tool.waitForEnd(within: .seconds(20))) != nil
        {
            try? tool.output.text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        return lines.joined(separator: "\n")
    }

    func close() async throws {
        for app in apps { try await app.close() }
        await test.close()
        await patchbay.close()
    }
}
