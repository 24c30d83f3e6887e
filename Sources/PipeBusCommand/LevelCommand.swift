// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// What to do with a source's present level.
typealias LevelRequest = @Sendable (Source.Level) -> LevelChange

/// The common part of the four level commands. With a value they set it and print the result; without one they print
/// the present value, or those of all sources of a receiver.
protocol LevelCommand: AsyncParsableCommand {
    var names: LevelNames { get }
    var typedValue: String? { get throws }
    var remote: RemoteOptions { get }
    static var what: String { get }
    static func change(_ text: String) throws -> LevelRequest
    /// The value for a person, as `graph`, `list` and `watch` show it.
    static func text(of level: Source.Level) -> String
    /// The value for another program, as in JSON.
    static func number(of level: Source.Level) -> String
    /// What became of a value that no level can have; `nil` for any other value.
    var remark: String? { get }
}

extension LevelCommand {
    static func number(of level: Source.Level) -> String { text(of: level) }
    var remark: String? { nil }

    func validate() throws {
        if let value = try typedValue, !Self.isValue(value), Self.isValue(names.first), let receiver = names.second {
            throw ValidationError(Self.order([receiver, value, names.first]))
        }
        _ = try typedValue.map(Self.change)
        if try typedValue != nil, names.second == nil { throw ValidationError(Self.missingReceiver) }
    }

    static var missingReceiver: String {
        "\(what) of a source is that at a receiver; name the source, then the receiver, then the value."
    }

    private static func isValue(_ text: String) -> Bool { (try? change(text)) != nil }

    /// The sentence about a value that came first.
    private static func order(_ words: [String]) -> String {
        "The value comes last, behind the source and the receiver: "
            + "\"pipebus \(what) \(words.map(ShellText.quoted).joined(separator: " "))\"."
    }

    /// - Throws: `ValidationError` for one or two words, the first of which is a value and no port's name.
    private static func checkOrder(_ first: String, _ second: String?, in graph: GraphSnapshot) throws {
        guard isValue(first), graph.ports(typed: first) == .missing else { return }
        guard let name = second else { throw ValidationError(missingReceiver) }
        let isReceiver =
            graph.port(typed: name, as: .source) == .missing && graph.port(typed: name, as: .destination) != .missing
        throw ValidationError(order((isReceiver ? ["SOURCE", name] : [name, "RECEIVER"]) + [first]))
    }

    func run() async throws {
        let change = try typedValue.map(Self.change)
        try await Patchbay.with(remote) { [names, remark] bus in
            let graph = await bus.graph
            if change == nil { try Self.checkOrder(names.first, names.second, in: graph) }
            guard let receiver = names.second else {
                return try await Self.list(names.first, bus, isJSON: names.json)
            }
            if change == nil, (try? Self.change(receiver)) != nil,
                graph.port(typed: receiver, as: .destination) == .missing
            {
                throw ValidationError(Self.missingReceiver)
            }
            let (from, to) = try PortFinder(graph).mixedPorts(typed: names.first, receiver)
            var level = try await bus.level(of: from, at: to)
            if let change { level = try await bus.setLevel(change(level), of: from, at: to) }
            if names.json {
                print(try LevelDocument(of: [(from, level)], at: to, in: graph).jsonDocument)
                if let remark { Terminal.complain(remark, as: "pipebus") }
                return
            }
            Terminal.report(
                "\(graph.shownName(of: from)) at \(graph.shownName(of: to)): \(Self.what) \(Self.text(of: level))",
                ["\(Self.what)": Self.number(of: level)])
            if let remark { Terminal.complain(remark, as: "pipebus") }
        }
    }

    /// The values of all sources of a receiver, a line each. The name comes last: it may contain spaces.
    private static func list(_ receiver: String, _ bus: BusClient, isJSON: Bool) async throws {
        let graph = await bus.graph
        let port = try PortFinder(graph).require(typed: receiver, as: .destination)
        let name = graph.uniqueName(of: port)
        guard port.keepsLevels else {
            throw ToolFailure(
                port.isSeparate
                    ? "\(name) takes its sources separately and does not mix them, so it has no levels of them."
                    : "\(name) keeps no levels of its sources: only a receiver made with PipeBus that mixes them does.")
        }
        let levels = try await bus.levels(at: port)
        let sources = graph.ports.filter {
            levels[$0.id] != nil || graph.connection(from: $0.id, to: port.id) != nil
        }
        .naturallySorted { graph.uniqueName(of: $0) }
        if isJSON {
            return print(try LevelDocument(of: sources.map { ($0, levels[$0.id]) }, at: port, in: graph).jsonDocument)
        }
        if sources.isEmpty { Terminal.note("\(name) has no source.") }
        for source in sources {
            let name = graph.uniqueName(of: source)
            guard let level = levels[source.id] else {
                Terminal.report(
                    "\(name): no level of its own, as it shares a lane", ["\(what)": "none", "source": name])
                continue
            }
            Terminal.report(
                "\(ShellText.shown(name)): \(what) \(text(of: level))",
                ["\(what)": number(of: level), "source": name])
        }
    }
}
