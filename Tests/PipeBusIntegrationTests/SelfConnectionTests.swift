// SPDX-License-Identifier: MIT
import ConnectionGraph
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// An app that hears itself through connections of PipeBus: refused, or allowed by both ends.
final class SelfConnectionTests: SelfConnectionTestCase {
    func testWhatWouldConnectAnAppToItselfIsRefusedInEveryApp() async throws {
        let scene = try await makeScene()
        await assertRefused(saying: "are ports of one app") { try await scene.app.connect(scene.out, to: scene.input) }
        await assertRefused(saying: "are ports of one app") { try await scene.other.join("App.out", to: "App.in") }
        try await scene.other.join("App.out", to: "Other.fx")
        await assertRefused(saying: "from App out to App in") {
            try await scene.app.connect("Other.fx", to: scene.input)
        }
        await assertRefused(saying: "from App out to App in") { try await scene.other.join("Other.fx", to: "App.in") }
        try await scene.app.disconnect(scene.out, from: "Other.fx")
        try await scene.other.join("Other.fx", to: "App.in")
        await assertRefused(saying: "App would hear itself") { try await scene.app.connect(scene.out, to: "Other.fx") }
        // And what is not a connection to itself is made.
        try await scene.app.connect("Third.tone", to: "Other.fx")
        try await scene.close()
    }

    func testTwoConnectionsThatCloseAPathBackTogetherAreNotBothMade() async throws {
        let scene = try await makeScene()
        for _ in 0..<10 {
            async let there = Result.of { try await scene.app.connect(scene.out, to: "Other.fx") }
            async let back = Result.of { try await scene.app.connect("Other.fx", to: scene.input) }
            let failures = await [there, back].compactMap(\.failure)
            XCTAssertEqual(failures.map { ($0 as? PipeBusError)?.code }, [.selfConnection])
            for connection in await scene.app.graph.connections {
                try await scene.app.disconnect(connection.source, from: connection.destination)
            }
        }
        XCTAssertEqual(scene.notices.all, [])
        try await scene.close()
    }

    func testTwoClientsInOneProcessAreOneApp() async throws {
        let scene = try await makeScene()
        let second = try await BusClient.connect(as: "org.pipebus.second", name: "Second", remote: scene.graph.remote)
        let port = try await second.sender("out", channels: .mono, state: ()) { _, _, _ in }
        await assertRefused(saying: "are ports of one app") { try await second.connect(port, to: "App.in") }
        await second.close()
        try await scene.close()
    }

    func testTwoProcessesOfAnAppAreOneIfBothSaySo() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        for (first, second) in [(true, true), (true, false), (false, false)] {
            let one = try await graph.peer("One", app: "org.pipebus.two", isOneApp: first)
            let two = try await graph.peer("Two", app: "org.pipebus.two", isOneApp: second)
            try await one.addSender("out", .constant(0.5))
            try await two.addReceiver("in")
            if first && second {
                await assertRefused(saying: "are ports of one app") { try await one.join("One.out", to: "Two.in") }
            } else {
                try await one.join("One.out", to: "Two.in")
            }
            try await one.close()
            try await two.close()
        }
        try await graph.close()
    }

    func testWhereItIsAllowedItWorks() async throws {
        let scene = try await makeScene(allowed: true)
        try await scene.app.connect(scene.out, to: scene.input)
        try await eventually("both ends to know") { scene.out.isConnectedToSelf && scene.input.isConnectedToSelf }
        try await scene.graph.settle()
        try await scene.graph.step([(256, 8)])
        XCTAssertTrue(scene.wasConnectedToSelf.isRaised)
        XCTAssertEqual(Set(scene.hearing.mix().suffix(1024)), [0.5])
        XCTAssertEqual(scene.notices.all, [])
        try await scene.close()
    }

    /// With the sender after the receiver the way back closes a loop, which costs a cycle: the latency says so.
    func testTheCycleThatALoopCostsIsInTheLatency() async throws {
        let scene = try await makeScene(allowed: true)
        let answer = try await scene.app.sender("answer", channels: .mono, after: ["in"], state: ()) {
            _, cycle, output in
            var samples = output[0]
            for frame in samples.indices { samples[frame] = Float((Int(cycle.position) + frame) % 4096) / 4096 }
        }
        try await scene.app.connect(answer, to: scene.input)
        try await scene.graph.settle()
        for frames in [256, 64] {
            try await scene.graph.step([(frames, 4)])
            try await eventually("a latency of \(frames) frames") {
                try await scene.input.sources.map(\.latencyRange.frames) == [frames...frames]
            }
            scene.hearing.forget()
            try await scene.graph.step([(frames, 4)])
            for moment in scene.hearing.moments {
                let expected = (0..<frames).map { Float((Int(moment.start) + $0 - frames) % 4096) / 4096 }
                assertSamples(moment.mix[0], equal: expected)
                XCTAssertEqual(moment.timestamp?.position, moment.start - Int64(frames))
            }
        }
        try await scene.close()
    }
}

extension Result where Failure == any Error {
    fileprivate static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    fileprivate var failure: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}
