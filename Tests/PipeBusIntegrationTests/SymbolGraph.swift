// SPDX-License-Identifier: MIT

/// A module's public declarations, as `swift symbolgraph-extract` writes them.
struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable { let precise: String }
        struct Kind: Decodable { let identifier: String }
        struct Fragment: Decodable { let spelling: String }
        struct Generics: Decodable { let constraints: [Constraint]? }

        let identifier: Identifier
        let kind: Kind
        let pathComponents: [String]
        let declarationFragments: [Fragment]
        let swiftGenerics: Generics?
        /// The extension that the symbol is declared in, with the constraints of the extended type.
        let swiftExtension: Generics?
        let availability: [Availability]?

        /// With the types that it is in.
        var name: String { pathComponents.joined(separator: ".") }

        /// A type's declaration: not that of an extension, an alias or an associated type.
        var isType: Bool {
            ["swift.struct", "swift.enum", "swift.class", "swift.protocol"].contains(kind.identifier)
        }
    }

    struct Constraint: Decodable, Hashable {
        let kind: String
        let lhs: String
        let rhs: String

        var text: String { "\(lhs) \(kind == "sameType" ? "==" : ":") \(rhs)" }
    }

    struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
        let targetFallback: String?
        /// The conditions of a conformance.
        let swiftConstraints: [Constraint]?
    }

    let symbols: [Symbol]
    let relationships: [Relationship]
}
