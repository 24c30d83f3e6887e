// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import PipeBusTesting
import ToolSupport

/// The filters in the graph, in the order of the sound, with what is before and behind them.
struct RenderChain: Sendable {
    private let stage: RenderStage
    let sound: RenderSound
    /// All ports of the chain.
    private let path: [GraphPort.ID]

    /// Waits until the filter of a process is there, and settled.
    ///
    /// - Parameter limit: the longest wait.
    /// - Throws: ``ToolFailure``.
    static func findFilter(of host: RenderHost, on stage: RenderStage, within limit: Duration) async throws -> GraphPort
    {
        let deadline = ContinuousClock.now.advanced(by: limit)
        var settled: GraphPort?
        while true {
            try Task.checkCancellation()
            try await stage.bus.refreshGraph()
            let graph = await stage.bus.graph
            let present = graph.peers.filter { host.owns($0) }.flatMap { graph.ports(of: $0.id) }
            let fitting = present.filter { $0.kind == .filter && host.filter.fits($0) }
            if fitting.count > 1 {
                throw ToolFailure(
                    "\(host.filter.name) has \(fitting.count) filters (\(names(fitting))), and nothing says which one is meant; install the app with a desktop entry that declares them, and name one."
                )
            }
            if let port = fitting.first {
                // A port may be made again at once, under a name that nobody else has.
                if port == settled { return port }
                settled = port
                try await stage.settle(within: limit)
                continue
            }
            guard .now < deadline else { throw missing(host, present, within: limit) }
            // The pace of polling.
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private static func missing(_ host: RenderHost, _ present: [GraphPort], within limit: Duration) -> ToolFailure {
        let wanted = if case .app(_, let port) = host.filter { "filter \(port.name.quoted)" } else { "filter" }
        let rest =
            if !present.isEmpty { "it has \(names(present))" } else if host.hasEnded {
                "it ended at once with status 0, as an app does that leaves all to a process that runs already"
            } else { "it may hang, or use another daemon" }
        return ToolFailure(
            "\(host.filter.name) was started, and its \(wanted) did not come within \(Decimal.text(limit / .seconds(1))) s; \(rest)."
        )
    }

    private static func names(_ ports: [GraphPort]) -> String {
        ports.prefix(4).map { $0.name.quoted }.joined(separator: ", ")
    }

    // MARK: Connections

    /// Adds both ends, and connects everything.
    ///
    /// - Parameters:
    ///   - file: its path, for errors.
    ///   - channelCount: of the file.
    ///   - quantum: frames in a cycle.
    /// - Throws: ``ToolFailure`` if channels do not go together; `PipeBusError`.
    init(
        through filters: [GraphPort], on stage: RenderStage, file: String, channelCount: Int, quantum: Int
    ) async throws {
        try Self.checkChannels(through: filters, file: file, channelCount: channelCount)
        let outputs = filters.last?.connectableOutputs.count ?? channelCount
        sound = try await RenderSound(on: stage, inputs: channelCount, outputs: outputs, quantum: quantum)
        guard let first = sound.sender.graphID, let last = sound.receiver.graphID else {
            throw ToolFailure("The private graph has lost its ends; try again.")
        }
        path = [first] + filters.map(\.id) + [last]
        for (source, destination) in zip(path, path.dropFirst()) {
            try await stage.bus.connect(source, to: destination)
        }
        self.stage = stage
    }

    /// - Throws: ``ToolFailure``.
    private static func checkChannels(through filters: [GraphPort], file: String, channelCount: Int) throws {
        var (given, giver) = (channelCount, file)
        for filter in filters {
            let taken = filter.laneChannels.count
            guard ChannelMatching.pairs(outputs: given, inputs: taken) != nil else {
                let verb = giver == file ? "has" : "gives"
                throw ToolFailure(
                    "\(giver) \(verb) \(Self.channels(given)) and \(filter.nodeName) takes \(taken), which do not go together; "
                        + (giver == file ? "convert the file, or use another filter." : "use another filter."))
            }
            (given, giver) = (filter.connectableOutputs.count, filter.nodeName)
        }
    }

    private static func channels(_ count: Int) -> String { "\(count) channel\(count == 1 ? "" : "s")" }

    // MARK: While it runs

    /// The links of all connections; `nil` unless all ports and connections are there.
    ///
    /// A link that somebody has removed and made again is another one.
    var links: [Connection.Link]? {
        get async throws {
            try await stage.bus.refreshGraph()
            let graph = await stage.bus.graph
            var links: [Connection.Link] = []
            for (source, destination) in zip(path, path.dropFirst()) {
                guard let connection = graph.connection(from: source, to: destination),
                    let from = graph.port(source), let to = graph.port(destination),
                    let pairs = ChannelMatching.pairs(outputs: from.connectableOutputs.count, inputs: to.laneWidth),
                    connection.links.count == pairs.count
                else { return nil }
                links += connection.links
            }
            return links
        }
    }

    /// The age of the sound that comes out, in frames; `nil` while nothing is known of it.
    func latency(within limit: Duration) async throws -> Int? {
        try await stage.settle(within: limit)
        try await stage.bus.refreshGraph()
        let sources = try await sound.receiver.sources
        return sources.count == 1 ? sources[0].latency.frames : nil
    }

    /// Why a cycle was not exact, or not finished, as far as the graph shows it.
    ///
    /// - Parameter error: that of the stepper.
    func failure(_ error: (any Error)?, within limit: Duration) -> RenderBreak {
        let who = stage.anyFilter
        guard error is TestKitError else {
            return RenderBreak(
                sentence:
                    "\(who) left out a cycle, or was disconnected, while it played; try again, or see what it does live."
            )
        }
        return RenderBreak(
            sentence:
                "\(who) did not finish a cycle within \(Decimal.text(limit / .seconds(1))) s; it may hang, and --timeout gives it longer."
        )
    }
}

extension RenderFilter {
    /// Whether a filter of the graph is the one that is meant, of those that belong to its process.
    fileprivate func fits(_ port: GraphPort) -> Bool {
        switch self {
        case .app(_, let declared): port.isPipeBus && port.name == declared.name
        case .command: true
        }
    }
}
