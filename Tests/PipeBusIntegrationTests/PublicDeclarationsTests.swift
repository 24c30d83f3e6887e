// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTesting
import XCTest

/// The lists of public declarations differ when a small module changes in one respect.
final class PublicDeclarationsTests: XCTestCase {
    func testALostTildeIsAChange() async throws {
        let members = ["View: case empty"]
        try await assertLists([
            "public enum View: ~Copyable, ~Escapable { case empty }":
                ["View : ~Copyable, ~Escapable"] + members + ["enum View"],
            "public enum View: ~Copyable { case empty }": ["View : ~Copyable"] + members + ["enum View"],
            "public enum View: ~Escapable { case empty }": ["View : ~Escapable"] + members + ["enum View"],
        ])
    }

    func testATildeStandsWithTheProtocols() async throws {
        try await assertLists([
            "public struct End: ~Copyable, Sendable {}": ["End : Sendable, ~Copyable", "struct End"],
            "public struct End: Sendable {}": ["End : Sendable", "struct End"],
        ])
    }

    func testAConstraintOfAnExtensionIsAChange() async throws {
        let box = "public struct Box<Value: Sendable> {}\n"
        let type = "struct Box<Value> where Value : Sendable"
        try await assertLists([
            box + "extension Box { public func f() {} }": ["Box: func f()", type],
            box + "extension Box where Value: BinaryFloatingPoint { public func f() {} }":
                ["Box where Value : BinaryFloatingPoint: func f()", type],
            box + "extension Box where Value: BinaryFloatingPoint & LosslessStringConvertible { public func f() {} }":
                ["Box where Value : BinaryFloatingPoint, Value : LosslessStringConvertible: func f()", type],
            box + "extension Box where Value == Int { public func f() {} }": [
                "Box where Value == Int: func f()", type,
            ],
        ])
    }

    func testAConditionOfAConformanceIsAChange() async throws {
        let box = "public struct Box<Value> {}\n"
        let type = "struct Box<Value>"
        try await assertLists([
            box + "extension Box: Sendable where Value: Sendable {}":
                ["Box : Sendable where Value : Copyable, Value : Escapable, Value : Sendable", type],
            // The compiler leaves out what Error implies.
            box + "extension Box: Sendable where Value: Sendable & Error {}":
                ["Box : Sendable where Value : Error", type],
        ])
    }

    func testConditionalCopyingIsAChange() async throws {
        let box = "public struct Box<Value: ~Copyable>: ~Copyable {}\n"
        let type = "struct Box<Value> where Value : ~Copyable"
        try await assertLists([
            box: ["Box : ~Copyable", type],
            box + "extension Box: Copyable where Value: Copyable {}":
                ["Box : Copyable where Value : Copyable, Value : Escapable", type],
        ])
    }

    func testAConstraintOfAnExtensionOfAnotherModulesTypeIsAChange() async throws {
        try await assertLists([
            "extension Array where Element == Int { public func f() {} }":
                ["Array where Element == Int: func f()", "extension Array where Element == Int"],
            "extension Array where Element == Bool { public func f() {} }":
                ["Array where Element == Bool: func f()", "extension Array where Element == Bool"],
        ])
    }

    func testADeprecationIsAChange() async throws {
        try await assertLists([
            "public func f() {}": ["func f()"],
            "@available(*, deprecated) public func f() {}": ["@available(*, deprecated) func f()"],
            #"@available(*, deprecated, message: "too slow", renamed: "g") public func f() {}"#:
                [#"@available(*, deprecated, message: "too slow", renamed: "g") func f()"#],
            "@available(swift, deprecated: 5.9) public func f() {}": ["@available(Swift, deprecated: 5.9) func f()"],
        ])
    }

    /// Compiles each source as a module of its own, and compares its list.
    private func assertLists(
        _ listsBySource: KeyValuePairs<String, [String]>, line: UInt = #line
    ) async throws {
        for (source, list) in listsBySource {
            let folder = FileManager.default.temporaryDirectory.appending(path: "pipebus-module-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appending(path: "Small.swift")
            try Data(source.utf8).write(to: file)
            let compiler = try ChildProcess(
                "swiftc",
                [
                    "-parse-as-library", "-emit-module", "-module-name", "Small", "-emit-module-path",
                    folder.appending(path: "Small.swiftmodule").path, file.path,
                ])
            let ending = try await compiler.waitForEnd(within: .seconds(120))
            guard ending == .exited(0) else { throw compiler.failure("did not compile: \(source)") }
            let found = try await PublicDeclarations(of: "Small", in: folder.path).lines
            XCTAssertEqual(found, list, source, line: line)
        }
    }
}
