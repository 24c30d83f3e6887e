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
        XCTAssertFalse(supervisor.hasSession)
        _ = supervisor.sessionBegan(at: start)
        XCTAssertEqual(supervisor.state, .running)
        XCTAssertTrue(supervisor.hasSession)
        return supervisor
    }

    func testEachLossHasItsReasonAndItsDecision() {
        let table: [(ConnectionLoss, StateReason.Kind, Supervisor.Decision)] = [
            (.daemonGone, .daemonGone, .retry), (.daemonRestarted, .daemonGone, .retry),
            (.removed, .removed, .close), (.fewDescriptors(left: 1, limit: 20), .outOfDescriptors, .retry),
            (.unanswered, .notResponding, .retry), (.malformed(reason: "x"), .failed, .retry),
            (.unknown(reason: "x"), .failed, .retry),
        ]
        for (loss, expected, decision) in table {
            var supervisor = running()
            XCTAssertEqual(supervisor.sessionLost(loss, at: time(1)), decision, "\(loss)")
            XCTAssertEqual(kind(supervisor), expected, "\(loss)")
            XCTAssertEqual(isInterrupted(supervisor), decision == .retry, "\(loss)")
            XCTAssertFalse(supervisor.hasSession, "\(loss)")
            XCTAssertTrue(supervisor.state.reason?.message.hasSuffix(".") ?? false, "\(loss)")
            XCTAssertEqual(supervisor.state.reason?.isConnectionLost, true, "\(loss)")
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
            supervisor.openingFailed(error, isInstalled: isInstalled)
            XCTAssertEqual(kind(supervisor), expected, "\(error)")
        }
    }

    func testAnInterruptionKeepsItsReasonWhileTheDaemonIsAway() {
        var supervisor = running()
        _ = supervisor.sessionLost(.daemonGone, at: time(1))
        supervisor.openingFailed(.noDaemon(sockets: ["/x"]), isInstalled: true)
        XCTAssertEqual(kind(supervisor), .daemonGone)
        supervisor.openingFailed(.noPermission(what: "/x"), isInstalled: true)
        XCTAssertEqual(kind(supervisor), .noPermission)
        supervisor.openingFailed(.noDaemon(sockets: ["/x"]), isInstalled: true)
        XCTAssertEqual(kind(supervisor), .notRunning)
        _ = supervisor.sessionBegan(at: time(5))
        XCTAssertEqual(supervisor.state, .running)
    }

    func testTheDelayGrowsAndBeginsAnewWhenASocketChanges() {
        var supervisor = running()
        _ = supervisor.sessionLost(.daemonGone, at: time(10))
        XCTAssertEqual(
            (0..<10).map { _ in supervisor.delay() / .milliseconds(1) },
            [10, 20, 40, 80, 160, 320, 640, 1280, 2000, 2000])
        XCTAssertTrue(supervisor.socketChanged(at: time(11)))
        XCTAssertEqual(supervisor.delay(), .milliseconds(10))
    }

    func testASocketThatChangesEndsTheLongestDelay() {
        var supervisor = Supervisor(backOff: BackOff(grownTo: .seconds(3600)))
        supervisor.openingFailed(.noDaemon(sockets: ["/x"]), isInstalled: true)
        for _ in 0..<3 { XCTAssertEqual(supervisor.delay(), .seconds(3600)) }
        XCTAssertTrue(supervisor.socketChanged(at: time(1)))
        XCTAssertEqual(supervisor.delay(), .milliseconds(10))
    }

    func testADaemonThatEndsAgainAndAgainIsNeverGivenUp() {
        var supervisor = running()
        for round in 1...1000 {
            XCTAssertEqual(supervisor.sessionLost(.daemonGone, at: time(Double(round))), .retry)
            supervisor.openingFailed(.noDaemon(sockets: []), isInstalled: true)
            _ = supervisor.sessionBegan(at: time(Double(round) + 0.1))
        }
        XCTAssertEqual(supervisor.state, .running)
    }

    func testAConnectionThatBreaksAgainAndAgainIsNeverGivenUp() {
        var supervisor = running()
        for round in 0..<1000 {
            XCTAssertEqual(supervisor.sessionLost(.malformed(reason: "x"), at: time(10 + Double(round) * 0.5)), .retry)
            _ = supervisor.delay()
            XCTAssertEqual(kind(supervisor), .failed)
            supervisor.openingFailed(.connectionLost(.unknown(reason: "x")), isInstalled: true)
            XCTAssertTrue(isInterrupted(supervisor))
            let probation = supervisor.sessionBegan(at: time(10 + Double(round) * 0.5 + 0.1))
            // The app hears of the first two interruptions only.
            XCTAssertEqual(probation, round < 1 ? nil : Supervisor.probation)
            XCTAssertEqual(isInterrupted(supervisor), round >= 1)
            XCTAssertTrue(supervisor.hasSession, "calls work from the beginning")
        }
        XCTAssertGreaterThan(supervisor.delay(), .seconds(1), "no busy loop")
        supervisor.sessionLasted()
        XCTAssertEqual(supervisor.state, .running)
    }

    func testABrokenSessionsTimeIsWithoutEffect() {
        var supervisor = running()
        for round in 0..<2 {
            _ = supervisor.sessionLost(.unknown(reason: "x"), at: time(Double(round)))
            _ = supervisor.sessionBegan(at: time(Double(round)))
        }
        _ = supervisor.sessionLost(.unknown(reason: "x"), at: time(2))
        supervisor.sessionLasted()
        XCTAssertTrue(isInterrupted(supervisor))
    }

    func testAnAttemptThatBreaksKeepsTheReason() {
        var supervisor = running()
        _ = supervisor.sessionLost(.daemonGone, at: time(1))
        let state = supervisor.state
        for _ in 0..<1000 {
            supervisor.openingFailed(.connectionLost(.unknown(reason: "x")), isInstalled: true)
            supervisor.openingFailed(.noDaemon(sockets: ["/x"]), isInstalled: true)
        }
        XCTAssertEqual(supervisor.state, state)
    }

    func testADaemonThatStandsStillWhilePortsAreMadeIsToldUntilTheSessionBegins() {
        var supervisor = running()
        _ = supervisor.sessionLost(.daemonGone, at: time(10))
        supervisor.daemonIsSilent()
        XCTAssertEqual(kind(supervisor), .notResponding)
        XCTAssertFalse(supervisor.hasSession)
        _ = supervisor.sessionBegan(at: time(20))
        XCTAssertEqual(supervisor.state, .running)
        _ = supervisor.closed()
        supervisor.daemonIsSilent()
        XCTAssertEqual(kind(supervisor), .closedByApp)
    }

    func testASocketThatChangesAllTheTimeMakesNoBusyLoop() {
        var supervisor = running()
        _ = supervisor.sessionLost(.daemonGone, at: time(1))
        let now = time(1)
        let attempts = (0..<1000).count { _ in
            _ = supervisor.delay()
            return supervisor.socketChanged(at: now)
        }
        XCTAssertEqual(attempts, 16)
        _ = supervisor.sessionBegan(at: now)
        XCTAssertTrue(supervisor.socketChanged(at: now), "a session was there")
    }

    func testARemovedClientEnds() {
        var supervisor = running()
        XCTAssertEqual(supervisor.sessionLost(.removed, at: time(5)), .close)
        XCTAssertEqual(supervisor.sessionLost(.daemonGone, at: time(6)), .close)
        XCTAssertNil(supervisor.sessionBegan(at: time(7)))
        supervisor.sessionLasted()
        XCTAssertEqual(kind(supervisor), .removed, "the end is final")
    }

    func testAConnectionThatHeldForAWhileIsSound() {
        var supervisor = running()
        for round in 1...20 {
            XCTAssertEqual(supervisor.sessionLost(.unknown(reason: "x"), at: time(Double(round) * 6)), .retry)
            _ = supervisor.sessionBegan(at: time(Double(round) * 6 + 0.5))
        }
    }

    func testTheAppsOwnEndIsFinalAndSaidOnce() {
        var supervisor = running()
        XCTAssertTrue(supervisor.closed())
        XCTAssertFalse(supervisor.closed())
        XCTAssertFalse(supervisor.hasSession)
        XCTAssertEqual(kind(supervisor), .closedByApp)
        _ = supervisor.sessionBegan(at: time(1))
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
