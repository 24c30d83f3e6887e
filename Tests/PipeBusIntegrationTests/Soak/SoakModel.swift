// SPDX-License-Identifier: MIT
import PipeBus

/// What should be in the graph: the ports, their connections and the sources' volumes, by node names.
struct SoakModel {
    struct Edge: Hashable, CustomStringConvertible {
        var source: String
        var destination: String

        var description: String { "\(source) → \(destination)" }
    }

    private(set) var ports: [String: SoakPort] = [:]
    private(set) var edges: Set<Edge> = []
    /// The volumes other than 1, in quarters. A receiver remembers that of a source that is away.
    private var volumes: [Edge: Int] = [:]
    private(set) var bypassed: Set<String> = []
    /// The latencies that ports have declared, in frames.
    private var latencies: [String: Int] = [:]
    /// The most latency that there has been on the way to a port, in frames: a receiver goes on holding back its sources when the
    /// slowest one has left.
    private var held: [String: Int] = [:]

    /// The most that arrives at a port, so that sums are exact: 1 for each sender, 4 for a `clock-sender`.
    private static let capacity = 16

    // MARK: Changes

    mutating func add(_ ports: [SoakPort]) { for port in ports { self.ports[port.nodeName] = port } }

    /// The process has ended: its ports, all their connections, and what it remembered are gone.
    mutating func appEnded(_ app: String) {
        let gone = Set(ports.values.filter { $0.app == app }.map(\.nodeName))
        ports = ports.filter { $0.value.app != app }
        edges = edges.filter { !gone.contains($0.source) && !gone.contains($0.destination) }
        volumes = volumes.filter { !gone.contains($0.key.destination) }
        bypassed.subtract(gone)
        latencies = latencies.filter { !gone.contains($0.key) }
        held = held.filter { !gone.contains($0.key) }
    }

    mutating func connect(_ edge: Edge) {
        edges.insert(edge)
        hold()
    }

    private mutating func hold() {
        for port in ports.keys {
            held[port] = max(held[port] ?? 0, upstream(of: port).reduce(0) { $0 + (latencies[$1] ?? 0) })
        }
    }

    mutating func disconnect(_ edge: Edge) { edges.remove(edge) }
    mutating func setVolume(_ quarters: Int, of edge: Edge) { volumes[edge] = quarters == 4 ? nil : quarters }
    mutating func setBypassed(_ isBypassed: Bool, _ port: String) {
        if isBypassed { bypassed.insert(port) } else { bypassed.remove(port) }
    }

    mutating func setLatency(_ frames: Int, of port: String) {
        latencies[port] = frames == 0 ? nil : frames
        hold()
    }

    // MARK: What follows

    /// The longest time for which a port, or one on the way to it, holds back a source for alignment, in frames: not more than
    /// all latencies on the way together, now or before.
    func longestDelay(before port: String) -> Int { upstream(of: port).map { held[$0] ?? 0 }.max() ?? 0 }

    /// The age of the sound that leaves a port, in frames.
    func age(of port: String) -> Int {
        let own = latencies[port] ?? 0
        guard ports[port]?.kind == .filter else { return own }
        return own + (sources(of: port).map { age(of: $0.source) }.max() ?? 0)
    }

    func sources(of port: String) -> [Edge] { edges.filter { $0.destination == port } }

    func volume(of edge: Edge) -> Int { ports[edge.destination]?.kind == .receiver ? volumes[edge] ?? 4 : 4 }

    /// By how much each sample that arrives at a port is more than the last, in quarters of a count.
    func slope(at port: String) -> Int32 {
        sources(of: port).reduce(0) { $0 + outputSlope(of: $1.source) * Int32(volume(of: $1)) / 4 }
    }

    private func outputSlope(of port: String) -> Int32 { ports[port]?.kind == .sender ? 4 : slope(at: port) }

    /// All ports whose sound arrives at a port, itself included.
    func upstream(of port: String) -> Set<String> {
        sources(of: port).reduce([port]) { $0.union(upstream(of: $1.source)) }
    }

    func downstream(of port: String) -> Set<String> {
        edges.filter { $0.source == port }.reduce([port]) { $0.union(downstream(of: $1.destination)) }
    }

    private func weight(at port: String) -> Int {
        guard let found = ports[port], found.kind != .sender else { return ports[port]?.isForeign == true ? 4 : 1 }
        return sources(of: port).reduce(0) { $0 + weight(at: $1.source) }
    }

    /// Whether a connection can be added without a loop, without an app that hears itself, and within all limits.
    func mayConnect(_ edge: Edge) -> Bool {
        guard let source = ports[edge.source], let destination = ports[edge.destination], source.kind != .receiver,
            destination.kind != .sender, !edges.contains(edge), !isReserved(source), !isReserved(destination),
            sources(of: edge.destination).count < SoakPort.lanes - 2
        else { return false }
        let before = Set(upstream(of: edge.source).compactMap { ports[$0]?.app })
        let after = Set(downstream(of: edge.destination).compactMap { ports[$0]?.app })
        guard before.isDisjoint(with: after) else { return false }
        var next = self
        next.connect(edge)
        return next.ports.keys.allSatisfy { next.weight(at: $0) <= Self.capacity }
    }

    /// The steady chain has no other connections.
    func isReserved(_ port: SoakPort) -> Bool { port.app.hasPrefix("Steady") }
}
