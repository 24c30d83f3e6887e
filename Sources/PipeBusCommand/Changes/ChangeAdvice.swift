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

    /// The error of a port that no sound can pass, with what to do.
    static func explained(_ error: PipeBusError, _ advice: String) -> PipeBusError {
        guard error.code == .invalidArgument else { return error }
        let sentence = error.message.hasSuffix(".") ? error.message.dropLast() : error.message[...]
        return PipeBusError(.invalidArgument, "\(sentence); \(advice)")
    }
}
