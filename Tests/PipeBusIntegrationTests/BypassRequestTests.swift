// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// Requests for a filter's bypass, by its app and by other processes, and the state in the graph.
final class BypassRequestTests: BypassTestCase {
    func testAChangeThatCannotBePublishedIsNotMade() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let recorder = CallRecorder()
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, recorder: recorder)
        let filter = try await bus.filter("fx", state: ()) { _, _, _, _ in }
        for isBypassed in [true, false] {
            recorder.force(ENOMEM, for: "pw_filter_update_properties")
            await assertThrowsPipeBus(.pipeWire) { try await filter.setBypassed(isBypassed) }
            XCTAssertEqual(filter.isBypassed, !isBypassed)
            let shown = try await bus.isBypassed(filter)
            XCTAssertEqual(shown, !isBypassed)
            try await filter.setBypassed(isBypassed)
            XCTAssertEqual(filter.isBypassed, isBypassed)
        }
        await bus.close()
    }

    func testTheGraphShowsWhatAPortHasJustSaid() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, allowsConnectionsToSelf: true)
        let filter = try await bus.filter("fx", state: ()) { _, _, _, _ in }
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let other = try await BusClient.connect(
            as: "org.pipebus.other", name: "Other", remote: daemon.remote, allowsConnectionsToSelf: true)
        let receiver = try await other.receiver("in", state: ()) { _, _, _ in }
        try await bus.connect(sender, to: filter)
        try await other.connect(filter, to: receiver)
        try await eventually("the connections") { await bus.graph.connections.count == 2 }
        for round in 0..<100 {
            let value = round.isMultiple(of: 2)
            if round % 4 < 2 {
                try await filter.setBypassed(value)
            } else {
                try await bus.setBypassed(value, of: filter)
            }
            XCTAssertEqual(filter.isBypassed, value)
            let filterState = try await filter.state
            XCTAssertEqual(filterState.isBypassed, value)
            let port = await bus.graph.port(filter.id)
            XCTAssertEqual(port?.isBypassed, value)
            try await sender.setFromLiveSource(value)
            let senderState = try await sender.state
            XCTAssertEqual(senderState.isFromLiveSource, value)
            let fed = try await filter.state
            XCTAssertEqual(fed.isFromLiveSource, value)
            try await receiver.setMonitoring(value)
            let isMonitoring = await other.graph.port(receiver.id)?.isMonitoring
            XCTAssertEqual(isMonitoring, value)
        }
        await bus.close()
        await other.close()
    }

    func testAnotherProcessBypassesAFilterAndGetsTheAnswer() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let peer = try await Peer.start("Other", on: daemon)
        try await peer.addFilter("fx")
        try await peer.addReceiver("in")
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        try await eventually("the ports") { await bus.graph.ports.count == 2 }
        var isBypassed = try await bus.isBypassed("Other.fx")
        XCTAssertFalse(isBypassed)
        try await bus.setBypassed(true, of: "Other.fx")
        isBypassed = try await bus.isBypassed("Other.fx")
        XCTAssertTrue(isBypassed)
        // Twice is once.
        try await bus.setBypassed(true, of: "Other.fx")
        // As any tool of PipeWire may.
        for (text, expected) in [("false", false), ("true", true), ("\"false\"", false)] {
            try await setParameter("Other.fx", "pipebus.bypassed", text, daemon)
            try await eventually("it to be \(text)") { try await bus.isBypassed("Other.fx") == expected }
        }
        await assertThrowsPipeBus(.notSupported) { try await bus.setBypassed(true, of: "Other.in") }
        await assertThrowsPipeBus(.unknownPort) { try await bus.setBypassed(true, of: "Nobody") }

        // A suspended app blocks no other one.
        peer.process.signal(SIGSTOP)
        try await eventuallyStopped(peer.process.pid)
        await assertThrowsPipeBus(.timedOut) { try await bus.setBypassed(true, of: "Other.fx") }
        let other = try await BusClient.connect(as: "org.pipebus.second", name: "Second", remote: daemon.remote)
        let ports = await other.graph.ports
        XCTAssertEqual(ports.map(\.nodeName), ["Other.fx", "Other.in"])
        await other.close()
        peer.process.signal(SIGCONT)
        try await eventually("it to be done after all") { try await bus.isBypassed("Other.fx") }
        await bus.close()
        try await peer.close()
    }

    func testAnAppStandsForItsFirstFilter() async throws {
        let daemon = try await startDaemon(.init(quantum: 256, hasNullSink: true))
        let app = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        // Before it, what an app's name stands for elsewhere.
        _ = try await app.receiver("in", title: "Ears", state: ()) { _, _, _ in }
        _ = try await app.sender("out", state: ()) { _, _, _ in }
        let first = try await app.filter("fx", title: "Effect", state: ()) { _, _, _, _ in }
        let second = try await app.filter("more", state: ()) { _, _, _, _ in }
        try await eventually("the ports") { await bus.graph.ports.count == 5 }
        for (client, name) in [
            (app, "App"), (bus, "App"), (app, "org.pipebus.app"), (bus, "App.fx"), (bus, "App/fx"), (bus, "Effect"),
        ] {
            for isBypassed in [true, false] {
                try await client.setBypassed(isBypassed, of: name)
                XCTAssertEqual(first.isBypassed, isBypassed, name)
                let answer = try await client.isBypassed(name)
                XCTAssertEqual(answer, isBypassed, name)
                try await eventually("others to see it") { try await bus.isBypassed(first) == isBypassed }
            }
        }
        XCTAssertFalse(second.isBypassed)
        for client in [app, bus] {
            for name in ["App.in", "App.out", "App/in", "Ears", "null-sink"] {
                let words = try await refusal(.notSupported) { try await client.setBypassed(true, of: name) }
                XCTAssertTrue(words.contains("is no filter of a PipeBus app"), words)
                _ = try await refusal(.notSupported) { _ = try await client.isBypassed(name) }
            }
            let words = try await refusal(.unknownPort) { try await client.setBypassed(true, of: "Nobody") }
            XCTAssertTrue(words.hasSuffix("there is \"App.fx\", \"App.more\"."), words)
        }
        await first.close()
        await second.close()
        var words = try await refusal(.notSupported) { try await app.setBypassed(true, of: "App") }
        XCTAssertTrue(words.hasPrefix("App has no filter"), words)
        words = try await refusal(.unknownPort) { try await app.setBypassed(true, of: "Nobody") }
        XCTAssertTrue(words.hasSuffix("and no other either."), words)
        _ = try await refusal(.closed) { try await app.setBypassed(true, of: first) }
        await app.close()
        await bus.close()
    }

    func testAClientThatIsClosedWhileItAsksIsNotHeldUp() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let peer = try await Peer.start("Other", on: daemon)
        try await peer.addFilter("fx")
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        try await eventually("the port") { await bus.graph.ports.count == 1 }
        peer.process.signal(SIGSTOP)
        try await eventuallyStopped(peer.process.pid)
        let isDone = Flag()
        let asking = Task {
            defer { isDone.raise() }
            try await bus.setBypassed(true, of: "Other.fx")
        }
        try await eventually("the request to be made") { await bus.hasPeerRequests }
        await bus.close()
        try await eventually("it to be given up") { isDone.isRaised }
        let result = await asking.result
        XCTAssertThrowsError(try result.get())
        peer.process.signal(SIGCONT)
        try await peer.close()
    }

    /// A port is in the graph before its app has seen it there.
    func testARequestToAFilterThatHasJustAppearedIsAnswered() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 256), installation: installation)
            let app = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
            let eager = try await EagerClient.connect(
                to: daemon.remote, requesting: "pipebus.bypassed", "true", ofNodesNamed: "App.fx")
            addTeardownBlock { await eager.close() }
            for round in 1...20 {
                let filter = try await app.filter("fx\(round)", state: ()) { _, _, _, _ in }
                try await eventually("the bypass of round \(round)") { filter.isBypassed }
                let count = await eager.requestCount
                XCTAssertEqual(count, round)
                await filter.close()
            }
            await app.close()
        }
    }

    func testNonsenseIsRefusedAndReported() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let filter = try await bus.filter("fx", state: ()) { _, _, _, _ in }
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let notices = NoticeLog(bus.notices)
        try await setParameter("Test.fx", "pipebus.bypassed", "\"perhaps\"", daemon)
        try await setParameter("Test.fx", "pipebus.bypassed", "17", daemon)
        try await setParameter("Test.fx", "something.else", "true", daemon)
        try await setParameter("Test.fx", String(repeating: "k", count: 100), "true", daemon)
        try await setParameter("Test.fx", "pipebus.bypassed", "\"\(String(repeating: "v", count: 300))\"", daemon)
        try await setParameter("Test.out", "pipebus.bypassed", "true", daemon)
        try await eventually("the refusals") { notices.all.count == 4 }
        XCTAssertEqual(notices.all.map(\.kind), Array(repeating: .requestRefused, count: 4))
        XCTAssertEqual(notices.all.map(\.port), [filter.name, filter.name, filter.name, sender.name])
        XCTAssertFalse(filter.isBypassed)
        await bus.close()
    }

    private func setParameter(
        _ node: String, _ key: String, _ value: String, _ daemon: HeadlessPipeWire
    ) async throws {
        let dump = try await GraphDump.take(daemon)
        let id = try XCTUnwrap(dump.nodes(named: node).first).id
        let tool = try daemon.run("pw-cli", ["set-param", "\(id)", "Props", "{ params = [ \"\(key)\" \(value) ] }"])
        let ending = try await tool.waitForEnd()
        XCTAssertEqual(ending, .exited(0), tool.errors.text)
    }
}
