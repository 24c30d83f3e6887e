// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting

/// An exact graph, an app in this process that gives sound, and one that takes it.
final class Stage: Sendable {
    /// The sound of a sender: a sample for each position on the graph's clock and each channel.
    typealias Signal = @Sendable (_ position: Int64, _ channel: Int) -> Float

    let graph: SteppedGraph
    let givers: BusClient
    let taker: BusClient

    static func start(installation: PipeWireInstallation = .chosen) async throws -> Stage {
        let graph = try await SteppedGraph.start(installation: installation)
        let givers = try await BusClient.connect(
            as: "org.pipebus.givers", name: "Givers", iconName: "audio-card", remote: graph.remote,
            allowsConnectionsToSelf: true)
        let taker = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: graph.remote, allowsConnectionsToSelf: true)
        return Stage(graph, givers, taker)
    }

    private init(_ graph: SteppedGraph, _ givers: BusClient, _ taker: BusClient) {
        self.graph = graph
        self.givers = givers
        self.taker = taker
    }

    // MARK: Ports

    /// A sender whose sound at every position is what was made some time before.
    ///
    /// - Parameters:
    ///   - latency: what it says of that time.
    ///   - actual: that time, if it is another, in frames.
    func sender(
        _ name: String, channels: ChannelLayout = .mono, latency: Int = 0, actual: Int? = nil,
        _ signal: @escaping Signal
    ) async throws -> SenderPort {
        let age = Int64(actual ?? latency)
        let port = try await givers.sender(name, channels: channels, latency: .frames(latency), state: ()) {
            _, cycle, output in
            let start = Int64(cycle.position) - age
            for channel in 0..<output.count {
                var samples = output[channel]
                for frame in samples.indices { samples[frame] = signal(start + Int64(frame), channel) }
            }
        }
        try await showToTaker(port)
        return port
    }

    /// A filter that gives what it is given so many frames later, and says so.
    func delay(
        _ name: String, channels: ChannelLayout = .mono, by frames: Int, gain: Float = 1
    ) async throws -> FilterPort {
        let lines = Array(repeating: DelayLine(frames), count: channels.count)
        let port = try await givers.filter(name, inputs: channels, latency: frames, fade: .none, state: lines) {
            lines, _, input, output in
            for channel in 0..<output.count {
                let from = input[channel]
                var to = output[channel]
                for frame in from.indices { to[frame] = gain * lines[channel].pass(from[frame]) }
            }
        }
        try await showToTaker(port)
        return port
    }

    /// Waits until the taker's graph has the givers' port.
    private func showToTaker(_ port: LocalPort) async throws {
        try await eventually("\(port.nodeName) to be seen") { await taker.graph.port(port.id) != nil }
    }

    /// Waits until the givers' graph has a connection that the taker made.
    func showToGivers(_ source: LocalPort, _ destination: LocalPort) async throws {
        try await eventually("the connection to be seen") {
            await givers.graph.connections.contains { $0.source == source.id && $0.destination == destination.id }
        }
    }

    // MARK: Cycles

    func step(_ frames: Int, cycles: Int = 1) async throws { try await graph.step([(frames, cycles)]) }

    /// Runs cycles for as long as something takes that waits for them.
    ///
    /// - Parameters:
    ///   - cycles: the number of cycles that follow each other without a pause.
    ///   - atPace: whether a cycle lasts as long as in a graph of 48 kHz. A task that fills a buffer again and again needs the
    ///     time that the buffer lasts.
    func stepping(
        _ frames: Int, cycles: Int = 1, atPace: Bool = false, while work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let isDone = Flag()
        async let result: Void = {
            defer { isDone.raise() }
            try await work()
        }()
        let start = ContinuousClock.now
        var time = Duration.zero
        while !isDone.isRaised {
            try await step(frames, cycles: cycles)
            guard atPace else { continue }
            time += .seconds(Double(frames * cycles) / 48_000)
            try await eventually("the time of a cycle") { isDone.isRaised || start.duration(to: .now) >= time }
        }
        try await result
    }

    func close() async throws {
        await givers.close()
        await taker.close()
        try await graph.close()
    }
}
