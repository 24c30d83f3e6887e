// SPDX-License-Identifier: MIT
import PipeBus

/// What a person can do instead of a change that is not possible. Pure.
enum ChangeAdvice {
    /// Why a filter cannot be taken out, with the commands that may be wanted instead; `nil` if it can.
    static func againstRemoving(_ filter: GraphPort, in graph: GraphSnapshot) -> String? {
        let name = graph.shownName(of: filter)
        let word = ShellText.quoted(graph.uniqueName(of: filter))
        switch (graph.sources(of: filter.id).isEmpty, graph.destinations(of: filter.id).isEmpty) {
        case (false, false): return nil
        case (true, true):
            return "\(name) is not connected, so there is nothing to take out; "
                + "\"pipebus connect SOURCE \(word) DESTINATION\" puts it into a path."
        case (true, false):
            return "Nothing feeds \(name), so no sound passes through it; "
                + "\"pipebus disconnect \(word)\" ends its connections, and \"pipebus connect SOURCE \(word)\" feeds it."
        case (false, true):
            return
                "\(name) goes nowhere, so no sound passes through it; \"pipebus disconnect \(word)\" ends its connections, "
                + "and \"pipebus connect \(word) DESTINATION\" lets it be heard."
        }
    }

    /// Why a filter cannot be put between two ports; `nil` if they are connected.
    static func againstInserting(
        _ filter: GraphPort, from source: GraphPort, to destination: GraphPort, in graph: GraphSnapshot
    ) -> String? {
        // One that hangs is connected still.
        guard graph.connection(from: source.id, to: destination.id) == nil,
            !destination.stalledSources.contains(source.id)
        else { return nil }
        let names = [source, filter, destination].map { graph.uniqueName(of: $0) }
        return "\(ShellText.shown(names[0])) is not connected to \(ShellText.shown(names[2])); "
            + "\"pipebus connect \(names.map(ShellText.quoted).joined(separator: " "))\" connects all three."
    }

    /// Why a path cannot be connected: a port in its middle is a receiver, where it ends. With the commands for two paths; `nil` if no
    /// port is.
    ///
    /// - Parameters:
    ///   - path: the names as they were typed.
    ///   - isTyped: whether a name may be short of the whole one.
    static func againstConnecting(_ path: [String], isTyped: Bool, in graph: GraphSnapshot) -> String? {
        func look(_ name: String, _ role: GraphSnapshot.Role) -> GraphSnapshot.Lookup {
            isTyped ? graph.port(typed: name, as: role) : graph.port(named: name, as: role)
        }
        for (place, name) in path.enumerated().dropFirst().dropLast() {
            guard case .found(let receiver) = look(name, .destination), receiver.isPipeBus, receiver.kind == .receiver
            else { continue }
            var sender: GraphPort?
            if case .found(let port) = look(name, .source) {
                // Its filter stands in the path.
                guard port.inputs.isEmpty else { continue }
                sender = port
            }
            let senders = receiver.peer.map { graph.ports(of: $0) } ?? []
            sender = sender ?? senders.first { $0.kind == .sender }
            func command(_ names: [String]) -> String {
                "\"pipebus connect \(names.map(ShellText.quoted).joined(separator: " "))\""
            }
            let end = command(Array(path[..<place]) + [graph.uniqueName(of: receiver)])
            let why = "\(graph.shownName(of: receiver)) is a receiver, so a path ends there"
            guard let sender else {
                return "\(why), and its app sends nothing; \(end) connects up to it."
            }
            return "\(why): these are two paths, \(end) and "
                + "\(command([graph.uniqueName(of: sender)] + Array(path[(place + 1)...])))."
        }
        return nil
    }

    /// The error of a port that no sound can pass, with what to do.
    static func explained(_ error: PipeBusError, _ advice: String) -> PipeBusError {
        guard error.code == .invalidArgument else { return error }
        let sentence = error.message.hasSuffix(".") ? error.message.dropLast() : error.message[...]
        return PipeBusError(.invalidArgument, "\(sentence); \(advice)")
    }
}
