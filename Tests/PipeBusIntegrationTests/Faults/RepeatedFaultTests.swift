// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Faults that are over at once, done so often that a small leak shows. Others destroy objects of the app in the graph.
final class RepeatedFaultTests: FaultTestCase {
    private static let rounds = LeakCheck.fewestRounds

    /// Three ports in turn: one that is destroyed six times in ten seconds is given up.
    func testOurNodesDestroyed() async throws {
        let ports = ["App.in", "App.fx", "App.out"]
        try await check(
            FaultCase(
                name: "node of a port destroyed, \(Self.rounds) times", rounds: Self.rounds,
                perform: { scene in
                    let seen = scene.events
                    let port = ports[seen.count { $0.what == "portRestored" } % ports.count]
                    let ids = try await scene.objects("Node") { $0.properties["node.name"] == port }
                    let struck = ProcessFigures.now
                    try await scene.destroy(try XCTUnwrap(ids.first, port))
                    try await scene.waitUntilTheAppSees("portRestored", after: seen.count)
                    return FaultCase.Moments(struck: struck, ended: struck)
                },
                sees: ["portRestored"], interrupted: []))
    }

    /// A connection that somebody removes stays away, and the app connects again.
    func testOurLinksDestroyed() async throws {
        try await check(
            FaultCase(
                name: "every link with sound destroyed, and the app connects again, \(Self.rounds) times",
                rounds: Self.rounds,
                perform: { scene in
                    let struck = ProcessFigures.now
                    for link in try await scene.soundLinks() { try await scene.destroy(link) }
                    try await eventually("no link with sound") { try await scene.soundLinks().isEmpty }
                    try await scene.connect()
                    try await scene.setValues()
                    return FaultCase.Moments(struck: struck, ended: struck, back: "when it is connected again")
                },
                sees: []))
    }

    /// "Close this app": it ends, and nobody else is harmed, nor keeps anything of it.
    func testOurClientDestroyed() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let scene = try await FaultScene.start(on: daemon)
            try await scene.waitUntilBothAreHeard()
            _ = try await scene.settledInventory()
            var leaks = try await LeakCheck(
                scene.processes.filter { $0.name != scene.app.name } + [("this process", getpid())], at: daemon)
            var saw: [String] = []
            for _ in 0..<Self.rounds {
                let seen = scene.events.count
                try await daemon.removeClient(named: "App")
                let ending = try await scene.app.process.waitForEnd()
                XCTAssertEqual(ending, .exited(0))
                saw = scene.events.dropFirst(seen).map(\.what)
                XCTAssertEqual(saw, ["closed removed"])
                try await eventually("nothing of it in the daemon") { try await scene.hasNothingOfTheApp() }
                XCTAssertEqual(scene.observer.state, .running)
                XCTAssertNil(scene.voice.process.ending)
                try await scene.replaceApp()
                try await scene.waitUntilBothAreHeard()
                try leaks.measure()
            }
            // The observer in this process has the library of 0.3.65, which may keep one for each connection at a newer daemon.
            let kept = installation == .system ? 0 : Self.rounds
            try await leaks.assertNothingIsLeft(
                by: "client destroyed", spareDescriptors: LeakCheck.spareDescriptors + kept)
            FaultTable.shared.add(
                FaultTable.Row(
                    "client destroyed, \(Self.rounds) times", saw: saw, back: "the app ends", kept: leaks.words,
                    on: installation))
            try await scene.close()
        }
    }
}
