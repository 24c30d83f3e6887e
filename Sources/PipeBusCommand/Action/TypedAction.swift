// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusActions
import ToolSupport

/// The action that a person named: by its name or its id, or the beginning of one. Pure.
enum TypedAction {
    /// - Throws: ``ToolFailure``.
    static func find(_ text: String, among actions: [InstalledAction]) throws -> InstalledAction {
        let name = TypedName(text)
        for comparison in TypedName.Comparison.allCases {
            let found = actions.filter { name.fits(anyOf: [$0.name, $0.id], comparison) }
            if found.count == 1 { return found[0] }
            guard found.isEmpty else {
                throw ToolFailure(
                    "\(text.quoted) could be any of \(found.prefix(4).map(\.id).joined(separator: ", "))\(found.count > 4 ? ", …" : ""); say which."
                )
            }
        }
        let near = EditDistance.nearest(to: text, among: actions.flatMap { [$0.name, $0.id] })
        throw ToolFailure(
            "No action called \(text.quoted) is installed; "
                + (near.map { "is \($0.quoted) meant? " } ?? "") + "\"pipebus action list\" shows all.")
    }
}
