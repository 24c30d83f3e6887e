// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// What is the same for all cases of the fault suite.
extension FaultScene {
    /// Performs a fault, and checks what the app saw, that everything is back, and that nothing is left behind.
    static func check(_ fault: FaultCase, on daemon: HeadlessPipeWire) async throws {
        let scene = try await FaultScene.start(on: daemon)
        try await scene.waitUntilBothAreHeard()
        let before = try await scene.settledInventory()
        var leaks = try await LeakCheck(scene.processes, at: daemon)
        let seen = scene.events.count
        try await scene.app.perform(.forget)
        let late = try await scene.steady.report("out").missedFrames
        try await scene.waitUntilBothAreHeard()

        var (back, own) = (String?.none, String?.none)
        for _ in 0..<fault.rounds {
            let moments = try await fault.perform(scene)
            // The app's clock and this one are read one after the other.
            let sound = try await scene.waitForSound(of: fault.interrupted, since: moments.ended - 5_000_000)
            try await scene.waitUntilBothAreHeard()
            back = sound.map { Self.milliseconds(max($0, moments.ended), since: moments.ended) }
            own = moments.back
            try await scene.assertSame(as: before, fault)
            if scene.voice.process.ending != nil { leaks.forget(scene.voice.name) }
            try leaks.measure()
        }

        try await leaks.assertNothingIsLeft(by: fault.name)
        let saw = scene.events.dropFirst(seen).map(\.what)
        // The words of a reason may change.
        let kinds = zip(saw, [nil] + saw.map(Optional.some)).filter { $0 != $1 }.map(\.0)
        XCTAssertEqual(kinds.filter { !fault.maySee.contains($0) }, fault.sees, "\(fault.name): \(saw)")
        let heard = try await scene.heard()
        let silence = Self.assertSound(heard, of: fault)
        try await scene.assertSteadyWasHeard(heard, before: late, fault)
        FaultTable.shared.add(
            FaultTable.Row(
                fault.name, saw: kinds, back: own ?? back ?? "silent for \(silence.voice)", silence: silence.steady,
                lost: "\(heard.hearings[FaultScene.voiceTag]?.missing ?? 0)", kept: leaks.words,
                on: daemon.installation))
        try await scene.close()
    }

    /// Everything is back, in the app and in the daemon.
    private func assertSame(as before: Inventory, _ fault: FaultCase) async throws {
        do {
            try await eventually("everything to be as before") { try await inventory() == before }
        } catch {
            let after = try await inventory()
            XCTAssertEqual(after.app, before.app, fault.name)
            XCTAssertEqual(after.objects, before.objects, fault.name)
            throw error
        }
    }

    /// - Returns: the longest silence of each source, in milliseconds.
    private static func assertSound(_ heard: PeerCycles, of fault: FaultCase) -> (voice: String, steady: String) {
        XCTAssertEqual(heard.stepsBack, 0, "\(fault.name): positions that ran backwards")
        for tag in [FaultScene.steadyTag, FaultScene.voiceTag] {
            let hearing = heard.hearings[tag] ?? PeerHearing()
            XCTAssertGreaterThan(hearing.right, 0, "\(fault.name): source \(tag)")
            XCTAssertEqual(hearing.wrong, 0, "\(fault.name): frames of source \(tag) that are wrong")
            XCTAssertLessThanOrEqual(
                hearing.unmarked, fault.mostUnmarked,
                "\(fault.name): frames of source \(tag) that no cycle marks: \(hearing)")
        }
        XCTAssertGreaterThanOrEqual(heard.missedFrames, fault.leastMissedFrames, fault.name)
        XCTAssertGreaterThanOrEqual(heard.clocks, fault.leastClocks, fault.name)
        let voice = heard.hearings[FaultScene.voiceTag]?.longestPause ?? 0
        XCTAssertGreaterThanOrEqual(Double(voice) / 1e6, fault.leastSilence, "\(fault.name): the fault did not happen")
        let steady = heard.hearings[FaultScene.steadyTag]?.longestPause ?? 0
        return (milliseconds(voice, since: 0), milliseconds(steady, since: 0))
    }

    /// The other source is silent only in cycles that are marked, or for which its own app was late and knows it.
    private func assertSteadyWasHeard(_ heard: PeerCycles, before late: UInt64, _ fault: FaultCase) async throws {
        let silent = heard.hearings[Self.steadyTag]?.silent ?? 0
        let missed = try await steady.report("out").missedFrames - late
        // A cycle is missed in both or in one of them when the graph begins another one.
        XCTAssertLessThanOrEqual(
            silent, missed + UInt64(2 * fault.rounds * heard.longestCycle),
            "\(fault.name): frames of silence that nobody marks")
    }

    /// Whole milliseconds between two moments, as text.
    static func milliseconds(_ moment: UInt64, since start: UInt64) -> String {
        "\(Int((Double(Int64(moment) - Int64(start)) / 1e6).rounded()))"
    }

    /// Two inventories in a row are equal.
    func settledInventory() async throws -> Inventory {
        var last = try await inventory()
        try await eventually("the graph to be at rest") {
            let next = try await inventory()
            defer { last = next }
            return next == last
        }
        return last
    }
}
