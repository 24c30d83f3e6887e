// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTesting
import Synchronization
import XCTest

@testable import PipeBusApps

/// Which of the installed apps run, as that changes.
final class AppPresenceTests: AppsTestCase {
    private let id = "org.pipebus.test.Present"

    private final class Log: Sendable {
        private let lists = Mutex<[[String: Bool]]>([])
        var all: [[String: Bool]] { lists.withLock { $0 } }
        func add(_ list: [AppPresence]) {
            lists.withLock { $0.append(Dictionary(uniqueKeysWithValues: list.map { ($0.id, $0.isRunning) })) }
        }
    }

    func testAppsComeAndGo() async throws {
        let daemon = try await HeadlessPipeWire.start(.init(), installation: .chosen, limit: .seconds(120))
        addTeardownBlock { try await daemon.close() }
        let registration = AppRegistration(id: id, name: "Present", ports: [.sender("out")], program: "/bin/true")
        try registration.register()
        let bus = try await BusClient.connect(as: "org.pipebus.test.Patchbay", name: "Patchbay", remote: daemon.remote)
        let log = Log()
        let reader = Task {
            for await list in AppDirectory.updates(seenBy: bus) { log.add(list) }
        }
        func last(is list: [String: Bool]?, _ what: String) async throws {
            try await eventually(what) { log.all.last == list }
        }
        try await last(is: [id: false], "an app that does not run")
        let app = try await BusClient.connect(as: id, name: "Present", remote: daemon.remote)
        _ = try await app.sender("out", state: ()) { _, _, _ in }
        try await last(is: [id: true], "the app")
        // A second process, and other ports, change nothing.
        let second = try await BusClient.connect(as: id, name: "Present", remote: daemon.remote)
        _ = try await second.sender("out", state: ()) { _, _, _ in }
        try await eventually("both") { await bus.graph.peers.count { $0.applicationID == self.id } == 2 }
        await app.close()
        await second.close()
        try await last(is: [id: false], "the app to end")
        try AppRegistration.unregister(id)
        try await last(is: [:], "no app")
        try registration.register()
        try await last(is: [id: false], "the app again")
        await bus.close()
        await reader.value
        for (list, next) in zip(log.all, log.all.dropFirst()) { XCTAssertNotEqual(list, next) }
    }

    func testAReaderThatStopsEndsBothSequences() async throws {
        let daemon = try await HeadlessPipeWire.start(.init(), installation: .chosen, limit: .seconds(120))
        addTeardownBlock { try await daemon.close() }
        let bus = try await BusClient.connect(as: "org.pipebus.test.Patchbay", name: "Patchbay", remote: daemon.remote)
        let reader = Task {
            var count = 0
            for await _ in AppDirectory.updates(seenBy: bus) { count += 1 }
            return count
        }
        reader.cancel()
        let count = await reader.value
        XCTAssertLessThanOrEqual(count, 1)
        await bus.close()
    }
}
