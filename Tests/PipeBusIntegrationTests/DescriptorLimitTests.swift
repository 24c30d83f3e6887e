// SPDX-License-Identifier: MIT
import Foundation
import PeerProtocol
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An app with hardly a descriptor left.
final class DescriptorLimitTests: DaemonTestCase {
    /// libpipewire 0.3.65 closes descriptor 0 of a process that has none left for a node. Here it is what the app is asked
    /// by.
    func testAPortIsMadeOrRefusedAndNothingElseIsClosed() async throws {
        let all = PipeWireInstallation.all
        for (installation, client) in all.map({ ($0, .system) }) + all.dropFirst().map({ ($0, $0) }) {
            let daemon = try await startDaemon(installation: installation)
            let app = try await Peer.start("App", on: daemon, client: client)
            let input = try descriptors(of: app)[0]
            XCTAssertNotNil(input)
            var refused = 0
            for left in 0...12 {
                try await limit(app, to: try descriptors(of: app), leaving: left)
                let isMade: Bool
                do {
                    try await app.addReceiver("in \(left)", lanes: 1)
                    isMade = true
                } catch let failure as Peer.Failure {
                    XCTAssertTrue(failure.description.contains("descriptors"), failure.description)
                    isMade = false
                    refused += 1
                }
                XCTAssertEqual(try descriptors(of: app)[0], input, "with \(left) left")
                try await limit(app, to: [:], leaving: 1024)
                if isMade { try await app.perform(.closePort(port: "in \(left)")) }
                // Other ports are made, as ever.
                try await app.addReceiver("next \(left)", lanes: 1)
                try await app.perform(.closePort(port: "next \(left)"))
            }
            XCTAssertGreaterThan(refused, 0)
            XCTAssertLessThan(refused, 13)
            try await app.close()
        }
    }

    /// What a process has open, by number.
    private func descriptors(of app: Peer) throws -> [Int: String] {
        let folder = "/proc/\(app.process.pid)/fd"
        let numbers = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { Int($0) }
        return Dictionary(
            uniqueKeysWithValues: numbers.compactMap { number in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")).map { (number, $0) }
            })
    }

    /// Sets a limit so that some numbers below it are free.
    private func limit(_ app: Peer, to open: [Int: String], leaving count: Int) async throws {
        let free = (0...4096).filter { open[$0] == nil }
        let limit = free[count]
        let tool = try ChildProcess("prlimit", ["--pid", "\(app.process.pid)", "--nofile=\(limit):4096"])
        guard try await tool.waitForEnd() == .exited(0) else { throw tool.failure("failed") }
    }
}
