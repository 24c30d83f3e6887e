// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// The daemon is replaced by one of another version under apps that go on, as when its package is upgraded.
///
/// Each app keeps the library that it has loaded, so that an old one meets a new daemon.
final class UpgradeTests: DaemonTestCase {
    /// Up and down again, twice.
    func testADaemonOfAnotherVersionAndBack() async throws {
        let (older, newer) = (PipeWireInstallation.system, try PipeWireInstallation.newer())
        let daemon = try await startDaemon(installation: older)
        try await daemon.skipIfTooOldForThisProcess()
        let scene = try await FaultScene.start(on: daemon)
        try await scene.voice.setLatency(480, of: "out")
        // The filter's sound is heard, too.
        try await scene.app.join("App.fx", to: "Observer.in")
        try await scene.waitUntilBothAreHeard()
        try await eventually("the source's latency") {
            try await scene.inventory().app.contains { $0.hasPrefix("in has Voice") && $0.hasSuffix(" 2 480 false") }
        }
        let first = try await settledView(of: scene)
        XCTAssertTrue(first.app.contains { $0.hasPrefix("mix has Voice") && $0.contains("0.25") }, "\(first.app)")
        for installation in [newer, older, newer, older] {
            try await replace(by: installation, in: scene, expecting: first)
        }
        try await scene.close()
    }

    private func replace(
        by installation: PipeWireInstallation, in scene: FaultScene, expecting first: View
    ) async throws {
        let last = try await scene.daemon.version()
        try await scene.app.perform(.forget)
        try await scene.waitUntilBothAreHeard()
        let seen = scene.events.count
        let moments = try await scene.replaceDaemon(by: installation)
        let version = try await scene.daemon.version()
        // Scripts/test-versions.sh may have both of one version.
        if PipeWireInstallation.chosen == .system { XCTAssertNotEqual(version, last) }
        let words = "from \(last) to \(version)"

        // The app's clock and this one are read one after the other.
        let sound = try await scene.waitForSound(
            of: [FaultScene.steadyTag, FaultScene.voiceTag], since: moments.ended - 5_000_000)
        try await scene.waitUntilBothAreHeard()
        do {
            try await eventually("everything to be as before, \(words)", within: .seconds(20)) {
                try await view(of: scene) == first
            }
        } catch {
            let present = try await view(of: scene)
            XCTAssertEqual(present.app, first.app, words)
            XCTAssertEqual(present.objects, first.objects, words)
            XCTAssertEqual(present.heard, first.heard, words)
            throw error
        }
        try await assertHeardByTheListener(scene, words)
        let saw = scene.events.dropFirst(seen).map(\.what)
        XCTAssertEqual(saw, ["interrupted daemonGone", "running"], words)
        let heard = try await scene.heard()
        XCTAssertEqual(heard.stepsBack, 0, "\(words): positions that ran backwards")
        for tag in [FaultScene.steadyTag, FaultScene.voiceTag] {
            let hearing = heard.hearings[tag] ?? PeerHearing()
            XCTAssertEqual(hearing.wrong, 0, "\(words): frames of source \(tag) that are wrong")
            XCTAssertEqual(hearing.unmarked, 0, "\(words): frames of source \(tag) that no cycle marks: \(hearing)")
        }
        let back = sound.map { FaultScene.milliseconds(max($0, moments.ended), since: moments.ended) }
        FaultTable.shared.add(
            FaultTable.Row(
                "daemon \(last) replaced by \(version), clients of 0.3.65", saw: saw, back: back ?? "",
                lost: "\(heard.hearings[FaultScene.voiceTag]?.missing ?? 0)", on: installation))
    }

    // MARK: What there is, but for what differs between daemons

    private struct View: Equatable {
        /// The app's ports, with their connections, and the sources with their levels, tags and latencies.
        var app: [String]
        /// The channels and links in the daemon, by names.
        var objects: [String]
        /// The sources of the listener, with their latencies.
        var heard: [String]
    }

    private func view(of scene: FaultScene) async throws -> View {
        let inventory = try await scene.inventory()
        let sources = try await scene.listener.sources
        return View(
            app: inventory.app, objects: inventory.objects.filter { $0.hasPrefix("Port ") || $0.hasPrefix("Link ") },
            heard: sources.map { "\($0.port.name) \($0.latency.frames)" }.sorted())
    }

    /// Two views in a row are equal.
    private func settledView(of scene: FaultScene) async throws -> View {
        var last = try await view(of: scene)
        try await eventually("the graph to be at rest") {
            let next = try await view(of: scene)
            defer { last = next }
            return next == last
        }
        return last
    }

    /// The app's sender and its filter are heard, in new cycles.
    private func assertHeardByTheListener(_ scene: FaultScene, _ words: String) async throws {
        let listener = scene.listener
        let before = try await listener.statistics.cycles
        // Longer than what a meter remembers of its last cycles.
        try await eventually("cycles of the listener, \(words)", within: .seconds(20)) {
            try await listener.statistics.cycles > before + 50
        }
        try await eventually("the app's sender and filter to be heard, \(words)", within: .seconds(20)) {
            let sources = try await listener.sources.filter { listener.meter(ofLane: $0.lane).peak > 0 }
            return sources.map(\.port.name).sorted() == ["fx", "out"]
        }
    }
}
