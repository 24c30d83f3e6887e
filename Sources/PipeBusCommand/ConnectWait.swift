// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import ToolSupport

/// The wait of `connect` for ports that are missing.
struct ConnectWait {
    typealias Name = (text: String, role: GraphSnapshot.Role)

    private let limit: String
    /// Each name that is waited for, with one of a port that is there, and is near to it.
    private let near: [(name: String, present: String)]

    /// - Parameters:
    ///   - names: those that no port has.
    ///   - limit: in seconds.
    init(_ names: [Name], in graph: GraphSnapshot, within limit: Double) {
        self.limit = "up to \(Decimal.text(limit)) s"
        near = names.compactMap { name in
            graph.nearestName(to: name.text, as: name.role).map { (name.text, $0) }
        }
    }

    /// A name in quotation marks, and one that is near to it.
    static func shown(_ name: String, as role: GraphSnapshot.Role, in graph: GraphSnapshot) -> String {
        name.quoted + (graph.nearestName(to: name, as: role).map { " (is \($0.quoted) meant?)" } ?? "")
    }

    /// The sentence for a script. `nil` if no port of a near name is there: a script may start its apps meanwhile.
    var warning: String? {
        guard !near.isEmpty else { return nil }
        let names = near.map(\.name.quoted).joined(separator: " and ")
        let present = near.map(\.present.quoted).joined(separator: " and ")
        return near.count == 1
            ? "Waiting \(limit) for \(names), by exactly that name; \(present) is there: type that, or --timeout 0."
            : "Waiting \(limit) for \(names), by exactly these names; \(present) are there: type those, or --timeout 0."
    }

    /// Says for whom `connect` waits: to a person always, and in a script if somebody else may be meant.
    ///
    /// - Parameter missing: what is missing, for a person.
    func announce(_ missing: String) {
        if isatty(STDERR_FILENO) == 1 {
            Terminal.note("Waiting \(limit) for \(missing); control-C ends it.")
        } else if let warning {
            Terminal.complain(warning, as: "pipebus")
        }
    }
}
