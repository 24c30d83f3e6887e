// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// More than two ports that `connect` connects, each to the next.
struct ConnectedPath {
    private let ports: [String]
    private let timeout: Double?
    private let launches: Bool
    private let remote: RemoteOptions

    init(ports: [String], _ timeout: Double?, launches: Bool, _ remote: RemoteOptions) {
        self.ports = ports
        self.timeout = timeout
        self.launches = launches
        self.remote = remote
    }

    func run() async throws {
        let watch = SignalWatch()
        let history = ChangeHistoryFile(remote: remote.name)
        let isTyped = timeout == 0 || timeout == nil && Terminal.isTyped
        try await Patchbay.with(remote) { [ports, timeout, launches] bus in
            var graph = await bus.graph
            if let reason = ChangeAdvice.againstConnecting(ports, isTyped: isTyped, in: graph) {
                throw ToolFailure(reason)
            }
            var ports = ports
            if launches, timeout != 0 {
                let names = ports.enumerated().map { index, name in
                    (name, index == ports.count - 1 ? GraphSnapshot.Role.destination : .source)
                }
                ports = try await AppStarter(bus, watch, within: timeout ?? 10).launch(names, isTyped: isTyped)
                graph = await bus.graph
            }
            let finder = PortFinder(graph)
            var missing: [ConnectWait.Name] = []
            let path: [any PortDesignator & Sendable] = try ports.enumerated().map { index, name in
                let role = index == ports.count - 1 ? GraphSnapshot.Role.destination : .source
                if isTyped, let port = try finder.find(typed: name, as: role) { return port }
                if graph.port(named: name, as: role) == .missing { missing.append((name, role)) }
                return name
            }
            if timeout != 0, !missing.isEmpty {
                let names = missing.map { ConnectWait.shown($0.text, as: $0.role, in: graph) }
                ConnectWait(missing, in: graph, within: timeout ?? 10).announce(names.joined(separator: " and "))
            }
            // The limit is for the ports; links between ports that are there take their own time.
            let limit = missing.isEmpty ? max(timeout ?? 10, 5) : max(timeout ?? 10, 0.001)
            let change: ConnectionChange
            do {
                change = try await Interruptible.run(on: bus, since: watch) { [path] in
                    try await bus.connect(
                        through: path, lingers: true, timeout: .milliseconds(Int64((limit * 1000).rounded(.up))))
                }
            } catch let error as PipeBusError where error.code == .channelMismatch {
                throw Self.explained(error, path, in: await bus.graph)
            }
            history.record(change)
            if change.isEmpty { Terminal.report("All of that is connected already", ["change": "none"]) }
            ChangeReport.show(change)
        }
    }

    /// The error of two ports whose channels do not go together. The library's sentence knows no options.
    private static func explained(
        _ error: PipeBusError, _ path: [any PortDesignator & Sendable], in graph: GraphSnapshot
    ) -> any Error {
        let ports = path.enumerated().compactMap { place, port -> GraphPort? in
            guard let name = port as? String else { return port as? GraphPort }
            return graph.port(named: name, as: place == path.count - 1 ? .destination : .source).ports.first
        }
        return ChannelAdvice.onPath(ports, in: graph).map { ToolFailure($0.sentence) } ?? error
    }
}
