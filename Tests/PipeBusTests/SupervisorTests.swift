// SPDX-License-Identifier: MIT
import PipeWireClient
import XCTest

@testable import PipeBus

final class SupervisorTests: XCTestCase {
    private let start = ContinuousClock.now

    private func time(_ seconds: Double) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    private func kind(_ supervisor: Supervisor) -> StateReason.Kind? { supervisor.state.reason?.kind }

    private func isInterrupted(_ supervisor: Supervisor) -> Bool {
        if case .interrupted = supervisor.state { true } else { false }
    }

    private func running() -> Supervisor {
        var supervisor = Supervisor()
        XCTAssertEqual(supervisor.state, .connecting)
        supervisor.sessionBegan(at: start)
        XCTAssertEqual(supervisor.state, .running)
        return supervisor
    }

    func testEachLossHasItsReasonAndItsDecision() {
        let table: [(ConnectionLoss, StateReason.Kind, Supervisor.Decision)] = [
            (.daemonGone, .daemonGone, .retry), (.daemonRestarted, .daemonGone, .retry),
            (.removed, .removed, .close), (.fewDescriptors(left: 1, limit: 20), .outOfDescriptors, .retry),
            (.malformed(reason: "x"), .failed, .retry), (.unknown(reason: "x"), .failed, .retry),
        ]
        for (loss, expected, decision) in table {
            var supervisor = running()
            XCTAssertEqual(supervisor.sessionLost(loss, at: time(1)), decision, "\(loss)")
            XCTAssertEqual(kind(supervisor), expected, "\(loss)")
            XCTAssertEqual(isInterrupted(supervisor), decision == .retry, "\(loss)")
            XCTAssertTrue(supervisor.state.reason?.message.hasSuffix(".") ?? false, "\(loss)")
        }
    }

    func testEachFailureToOpenHasItsReason() {
        let table: [(PipeWireError, Bool, StateReason.Kind)] = [
            (.noDaemon(sockets: ["/x"]), true, .notRunning), (.noDaemon(sockets: ["/x"]), false, .notInstalled),
            (.noPermission(what: "/x"), true, .noPermission), (.incompatible(reason: "x"), true, .incompatible),
            (.timedOut(what: "x"), true, .notResponding), (.connectionLost(.daemonGone), true, .daemonGone),
            (.callFailed(call: "x", code: 5), true, .failed),
        ]
        for (error, isInstalled, expected) in table {
            var supervisor = Supervisor()
            XCTAssertEqual(
                supervisor.openingFailed(error, isInstalled: isInstalled, at: start), .retry, "\(error)")
            XCTAssertEqual(kind(supervisor), expected, "\(error)")
        }
    }

    func testAnInterruptionKeepsItsReasonWhileTheDaemonIsAway() {
        var supervisor = running()
        _ = supervisor.sessionLost(.daemonGone, at: time(1))
        _ = supervisor.openingFailed(.noDaemon(sockets: ["/x"]), isInstalled: true, at: time(2))
        XCTAssertEqual(kind(supervisor), .daemonGone)
        _ = supervisor.openingFailed(.noPermission(what: "/x"), isInstalled: true, at: time(3))
        XCTAssertEqual(kind(supervisor), .noPermission)
        _ = supervisor.openingFailed(.noDaemon(sockets: ["/x"]), isInstalled: true, at: time(4))
        XCTAssertEqual(kind(supervisor), .notRunning)
        supervisor.sessionBegan(at: time(5))
        XCTAssertEqual(supervisor.state, .running)
    }

    func testTheDelayGrowsAndBeginsAnewWhenASocketChanges() {
        var supervisor = running()
        _ = supervisor.sessionLost(.daemonGone, at: time(10))
        XCTAssertEqual(
            (0..<10).map { _ in supervisor.delay() / .milliseconds(1) },
            [10, 20, 40, 80, 160, 320, 640, 1280, 2000, 2000])
        supervisor.socketChanged()
        XCTAssertEqual(supervisor.delay(), .milliseconds(10))
    }

    func testADaemonThatEndsAgainAndAgainIsNeverGivenUp() {
        var supervisor = running()
        for round in 1...1000 {
            XCTAssertEqual(supervisor.sessionLost(.daemonGone, at: time(Double(round))), .retry)
            XCTAssertEqual(
                supervisor.openingFailed(.noDaemon(sockets: []), isInstalled: true, at: time(Double(round))), .retry)
            supervisor.sessionBegan(at: time(Double(round) + 0.1))
        }
        XCTAssertEqual(supervisor.state, .running)
    }

    func testAConnectionThatBreaksForFiveSecondsEndsTheClient() {
        var supervisor = running()
        for round in 0..<10 {
            XCTAssertEqual(supervisor.sessionLost(.unknown(reason: "x"), at: time(Double(round) * 0.5)), .retry)
            supervisor.sessionBegan(at: time(Double(round) * 0.5 + 0.1))
        }
        XCTAssertEqual(supervisor.sessionLost(.unknown(reason: "x"), at: time(5)), .close)
        XCTAssertEqual(kind(supervisor), .failed)
        XCTAssertEqual(supervisor.sessionLost(.daemonGone, at: time(6)), .close)
        supervisor.sessionBegan(at: time(7))
        XCTAssertEqual(kind(supervisor), .failed, "the end is final")
    }

    func testAConnectionThatHeldForAWhileIsSound() {
        var supervisor = running()
        for round in 1...20 {
            XCTAssertEqual(supervisor.sessionLost(.unknown(reason: "x"), at: time(Double(round) * 6)), .retry)
            supervisor.sessionBegan(at: time(Double(round) * 6 + 0.5))
        }
    }

    func testTheAppsOwnEndIsFinalAndSaidOnce() {
        var supervisor = running()
        XCTAssertTrue(supervisor.closed())
        XCTAssertFalse(supervisor.closed())
        XCTAssertEqual(kind(supervisor), .closedByApp)
        supervisor.sessionBegan(at: time(1))
        XCTAssertEqual(kind(supervisor), .closedByApp)
    }

    // MARK: Whether a daemon is there

    func testWhetherADaemonIsInstalled() {
        func presence(_ files: Set<String>, path: String?) -> DaemonPresence {
            DaemonPresence(
                remote: nil,
                environment: { $0 == "PATH" ? path : $0 == "PIPEWIRE_REMOTE" ? "/nowhere/at-all" : nil },
                exists: files.contains)
        }
        XCTAssertFalse(presence([], path: "/opt/bin:/x").isInstalled)
        XCTAssertTrue(presence(["/opt/bin/pipewire"], path: "/opt/bin:/x").isInstalled)
        XCTAssertFalse(presence(["/opt/bin/pipewire"], path: nil).isInstalled)
        XCTAssertFalse(presence(["bin/pipewire"], path: "bin").isInstalled, "a relative folder is not searched")
        XCTAssertTrue(presence(["/usr/bin/pipewire"], path: nil).isInstalled)
        XCTAssertTrue(presence(["/usr/lib/systemd/user/pipewire.socket"], path: nil).isInstalled)
        XCTAssertFalse(presence([], path: nil).isRunning)
    }
}
