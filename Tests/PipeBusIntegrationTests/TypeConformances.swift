// SPDX-License-Identifier: MIT

/// The conformances of a module's types, as `swift api-digester` writes them.
///
/// A symbol graph has no trace of `~Copyable` and `~Escapable` on a type. The digester lists `Copyable` and `Escapable`
/// with the other conformances.
struct TypeConformances: Decodable {
    struct Node: Decodable {
        struct Conformance: Decodable { let name: String }

        let kind: String
        let usr: String?
        let conformances: [Conformance]?
        let children: [Node]?

        /// The node and all below it.
        var all: [Node] { [self] + (children ?? []).flatMap(\.all) }
    }

    let root: Node

    private enum CodingKeys: String, CodingKey { case root = "ABIRoot" }

    /// The conformances that each type suppresses, with a tilde each, by the type's identifier in symbol graphs.
    var suppressed: [String: [String]] {
        let types = root.all.filter { $0.kind == "TypeDecl" }
        return Dictionary(
            types.compactMap { type in
                let found = Set((type.conformances ?? []).map(\.name))
                return type.usr.map { ($0, ["Copyable", "Escapable"].filter { !found.contains($0) }.map { "~\($0)" }) }
            },
            // Extensions may repeat a type.
            uniquingKeysWith: { $0.filter($1.contains) })
    }
}
