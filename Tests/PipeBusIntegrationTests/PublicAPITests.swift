// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTesting
import XCTest

/// The public declarations of the library are those of Docs/API: no change of them comes unnoticed.
final class PublicAPITests: XCTestCase {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Docs/API")

    func testThePublicDeclarationsAreThoseThatAreWrittenDown() async throws {
        let isRenewed = ProcessInfo.processInfo.environment["PIPEBUS_RENEW_API"] != nil
        for module in ["ConnectionGraph", "PipeBus", "PipeBusActions", "PipeBusApps", "RealtimeKit"] {
            let file = Self.folder.appending(path: "\(module).txt")
            let found = try await PublicDeclarations(of: module).lines
            XCTAssertGreaterThan(found.count, 20, "what was found of \(module) cannot be all")
            if isRenewed {
                try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
                try Data((found.joined(separator: "\n") + "\n").utf8).write(to: file)
                continue
            }
            let written = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            let changes =
                found.filter { !written.contains($0) }.map { "+ \($0)" }
                + written.filter { !found.contains($0) }.map { "- \($0)" }
            XCTAssertEqual(
                changes, [],
                """
                The public API of \(module) is not the one in Docs/API/\(module).txt. If that is meant, run \
                `sh Scripts/renew-api.sh`, look at the difference, and commit it with an entry in CHANGELOG.md.
                """)
        }
    }
}
