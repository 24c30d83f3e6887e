// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting

/// A module's public declarations, as the compiler has them, as a list for people.
struct PublicDeclarations {
    private let symbols: [SymbolGraph.Symbol]
    private let relationships: [SymbolGraph.Relationship]
    private let suppressed: [String: [String]]

    /// Reads a compiled module.
    ///
    /// - Parameter folder: the folder with the module, by default that of this package's modules.
    /// - Throws: `TestKitError` if a tool of the compiler fails, or if one knows a type that the other does not.
    init(of module: String, in folder: String = Programs.path(of: "Modules")) async throws {
        let output = FileManager.default.temporaryDirectory.appending(path: "pipebus-api-\(getpid())-\(module)")
        let graphFolder = output.appending(path: "graphs")
        let conformancesFile = output.appending(path: "conformances.json")
        try FileManager.default.createDirectory(at: graphFolder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: output) }
        let origin = ["-target", Self.target, "-I", folder] + Self.cModules
        try await Self.run(
            [
                "symbolgraph-extract", "-module-name", module, "-output-dir", graphFolder.path,
                "-minimum-access-level", "public", "-skip-synthesized-members", "-skip-inherited-docs",
                "-emit-extension-block-symbols",
            ] + origin)
        try await Self.run(
            [
                "api-digester", "-dump-sdk", "-module", module, "-o", conformancesFile.path, "-abort-on-module-fail",
            ] + origin)

        // One for the module, and one for each module that it extends.
        let graphs = try FileManager.default.contentsOfDirectory(at: graphFolder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .map { try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0)) }
        symbols = graphs.flatMap(\.symbols)
        relationships = graphs.flatMap(\.relationships)
        suppressed = try JSONDecoder()
            .decode(TypeConformances.self, from: Data(contentsOf: conformancesFile)).suppressed
        if let unknown = symbols.first(where: { $0.isType && suppressed[$0.identifier.precise] == nil }) {
            throw TestKitError("swift api-digester does not list the conformances of \(unknown.name)")
        }
    }

    /// Sorted, one a line. A second line for a type has its superclass and its protocols, and conformances with
    /// conditions have a line each.
    var lines: [String] {
        let byIdentifier = Dictionary(symbols.map { ($0.identifier.precise, $0) }, uniquingKeysWith: { $1 })
        let owners = Dictionary(
            relationships.filter { $0.kind == "memberOf" }.map { ($0.source, $0.target) }, uniquingKeysWith: { $1 })
        var parents: [String: [String: Set<String>]] = [:]
        for relationship in relationships where ["conformsTo", "inheritsFrom"].contains(relationship.kind) {
            let name = byIdentifier[relationship.target]?.name ?? relationship.targetFallback ?? relationship.target
            let known = Set(byIdentifier[relationship.source]?.swiftGenerics?.constraints ?? [])
            let conditions = Self.conditions(relationship.swiftConstraints ?? [], beyond: known)
            parents[relationship.source, default: [:]][conditions, default: []]
                .insert(String(name.trimmingPrefix("Swift.")))
        }
        let lines = symbols.flatMap { symbol in
            let identifier = symbol.identifier.precise
            var parents = parents[identifier] ?? [:]
            parents["", default: []].formUnion(suppressed[identifier] ?? [])
            let owner = owners[identifier].flatMap { byIdentifier[$0] }
            return [Self.line(of: symbol, in: owner)]
                + parents.compactMap { conditions, names in
                    // The compiler adds these by itself. A condition of the last two is the author's.
                    var names = names.subtracting(["SendableMetatype", "BitwiseCopyable"])
                    if conditions.isEmpty || !symbol.isType { names.subtract(["Copyable", "Escapable"]) }
                    return names.isEmpty
                        ? nil : "\(symbol.name) : \(names.sorted().joined(separator: ", "))\(conditions)"
                }
        }
        return Set(lines).sorted()
    }

    /// Where the declaration is, with the conditions of the extension, and the declaration in full.
    private static func line(of symbol: SymbolGraph.Symbol, in owner: SymbolGraph.Symbol?) -> String {
        let place = symbol.pathComponents.dropLast().joined(separator: ".")
        // An extension of another module's type has its conditions itself; its members repeat them.
        let known = owner?.isType == true ? Set(owner?.swiftGenerics?.constraints ?? []) : []
        let conditions = conditions(symbol.swiftExtension?.constraints ?? [], beyond: known)
        let attributes = (symbol.availability ?? []).map { $0.text + " " }.sorted().joined()
        let declaration = symbol.declarationFragments.map(\.spelling).joined()
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return (place.isEmpty ? "" : "\(place)\(conditions): ") + attributes + declaration
    }

    /// A `where` clause of the constraints that the type itself does not have; empty if there are none.
    private static func conditions(
        _ constraints: [SymbolGraph.Constraint], beyond known: Set<SymbolGraph.Constraint>
    ) -> String {
        let words = constraints.filter { !known.contains($0) }.map(\.text).sorted()
        return words.isEmpty ? "" : " where \(words.joined(separator: ", "))"
    }
}
