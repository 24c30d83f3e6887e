// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting

/// What the compiler knows of a module's public declarations, as a list for people.
struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable { let precise: String }
        struct Fragment: Decodable { let spelling: String }

        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]

        /// With the types that it is in.
        var name: String { pathComponents.joined(separator: ".") }

        /// Where the declaration is, and the declaration in full.
        var line: String {
            let owner = pathComponents.dropLast().joined(separator: ".")
            let words = declarationFragments.map(\.spelling).joined().split(whereSeparator: \.isWhitespace)
            return (owner.isEmpty ? "" : "\(owner): ") + words.joined(separator: " ")
        }
    }

    struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
        let targetFallback: String?
    }

    let symbols: [Symbol]
    let relationships: [Relationship]

    /// All public declarations of a module, sorted, one a line. A second line for
    /// a type has its superclass and its protocols.
    static func declarations(of module: String) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pipebus-api-\(getpid())-\(module)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources").path
        let modules = ["CAudioKernels", "CRealtime", "CPipeWireShims"].flatMap {
            [
                "-Xcc", "-fmodule-map-file=\(Programs.path(of: "\($0).build/module.modulemap"))",
                "-Xcc", "-I\(sources)/\($0)/include",
            ]
        }
        let tool = try ChildProcess(
            "swift",
            [
                "symbolgraph-extract", "-module-name", module, "-target", target, "-output-dir", folder.path,
                "-I", Programs.path(of: "Modules"), "-minimum-access-level", "public", "-skip-synthesized-members",
                "-skip-inherited-docs", "-emit-extension-block-symbols",
            ] + modules)
        let ending = try await tool.waitForEnd(within: .seconds(120))
        guard ending == .exited(0) else { throw tool.failure("no symbols of \(module)") }
        // One for the module, and one for each module that it extends.
        let graphs = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .map { try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0)) }
        return lines(of: graphs)
    }

    private static func lines(of graphs: [SymbolGraph]) -> [String] {
        let symbols = graphs.flatMap(\.symbols)
        let names = Dictionary(symbols.map { ($0.identifier.precise, $0.name) }, uniquingKeysWith: { $1 })
        var parents: [String: Set<String>] = [:]
        for relationship in graphs.flatMap(\.relationships)
        where ["conformsTo", "inheritsFrom"].contains(relationship.kind) {
            let name = names[relationship.target] ?? relationship.targetFallback ?? relationship.target
            parents[relationship.source, default: []].insert(String(name.trimmingPrefix("Swift.")))
        }
        let lines = symbols.flatMap { symbol in
            // The compiler adds these by itself.
            let parents = (parents[symbol.identifier.precise] ?? [])
                .subtracting(["SendableMetatype", "Copyable", "Escapable", "BitwiseCopyable"]).sorted()
            return [symbol.line] + (parents.isEmpty ? [] : ["\(symbol.name) : \(parents.joined(separator: ", "))"])
        }
        return Set(lines).sorted()
    }

    private static var target: String {
        #if arch(arm64)
            "aarch64-unknown-linux-gnu"
        #else
            "x86_64-unknown-linux-gnu"
        #endif
    }
}
