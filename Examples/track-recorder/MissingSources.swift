// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The sources that `--from` names and that are not there, in words. Pure.
enum MissingSources {
    /// The largest number of ports that are named.
    private static let longest = 8

    /// A sentence that says what is waited for, and what is there instead; `nil` if a port has each of the names.
    ///
    /// - Parameter own: the recorder's own port.
    static func sentence(for names: [String], at own: GraphPort.ID?, in graph: GraphSnapshot) -> String? {
        let missing = names.filter { graph.port(named: $0, as: .source) == .missing }
        guard !missing.isEmpty else { return nil }
        let ports = graph.ports.filter { !$0.outputs.isEmpty && $0.id != own }.map { graph.uniqueName(of: $0) }
        let others = ports.count > longest ? " … and \(ports.count - longest) more" : ""
        let there =
            ports.isEmpty ? "no source yet" : ports.prefix(longest).map(\.quoted).joined(separator: ", ") + others
        return "Waiting for \(Levels.list(missing.map(\.quoted))); there is \(there)"
    }
}
