// SPDX-License-Identifier: MIT
import ConnectionGraph
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// The base of tests of apps that hear themselves: such an app, and two apps in processes of their own.
class SelfConnectionTestCase: DaemonTestCase {
    /// An app whose sender gives 0.5 all the time, and a filter of another app in another process that passes on.
    struct Scene {
        var graph: SteppedGraph
        var app: BusClient
        var out: SenderPort
        var input: ReceiverPort
        var hearing: Hearing
        /// The answer in the sender block's last cycle.
        var wasConnectedToSelf: Flag
        var notices: NoticeLog
        var other: Peer
        var third: Peer

        func notices(_ count: Int) async throws -> [Notice.Kind] {
            try await eventually("\(count) notices") { notices.all.count >= count }
            return notices.all.map(\.kind)
        }

        func link(_ source: String, _ destination: String) async throws {
            try await graph.run("pw-link", ["\(source):output_MONO", "\(destination)_MONO"])
        }

        func close() async throws {
            await app.close()
            try await graph.close()
        }
    }

    func makeScene(allowed: Bool = false) async throws -> Scene {
        let graph = try await SteppedGraph.start(installation: .chosen)
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: graph.remote, allowsConnectionsToSelf: allowed)
        let wasConnectedToSelf = Flag()
        let out = try await app.sender("out", channels: .mono, state: ()) { _, cycle, output in
            var samples = output[0]
            for frame in samples.indices { samples[frame] = 0.5 }
            if cycle.isConnectedToSelf { wasConnectedToSelf.raise() }
        }
        let hearing = Hearing()
        let input = try await hearing.mixed(on: app, panLaw: .balance)
        let notices = NoticeLog(app.notices)
        let other = try await graph.peer("Other")
        try await other.addFilter("fx")
        let third = try await graph.peer("Third")
        try await third.addSender("tone", .constant(0.25))
        try await eventually("the other app to be seen") { await app.graph.ports.count == 4 }
        return Scene(
            graph: graph, app: app, out: out, input: input, hearing: hearing, wasConnectedToSelf: wasConnectedToSelf,
            notices: notices,
            other: other, third: third)
    }

    func assertRefused(
        saying words: String, file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            XCTFail("nothing was refused", file: file, line: line)
        } catch let error as PipeBusError {
            XCTAssertEqual(error.code, .selfConnection, file: file, line: line)
            XCTAssertTrue(error.message.contains(words), error.message, file: file, line: line)
        } catch let error as Peer.Failure {
            XCTAssertEqual(error.code, "selfConnection", file: file, line: line)
            XCTAssertTrue(error.description.contains(words), error.description, file: file, line: line)
        } catch {
            XCTFail("\(error)", file: file, line: line)
        }
    }
}
