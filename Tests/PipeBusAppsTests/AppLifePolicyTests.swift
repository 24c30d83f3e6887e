// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBusApps

final class AppLifePolicyTests: XCTestCase {
    private typealias Policy = AppLifePolicy
    private typealias Sight = AppLifePolicy.Sight

    private static let limit: Duration = .seconds(60)
    private static let idle = Sight(isInGraph: true, isConnected: false, isLauncherPresent: true)
    private static let connected = Sight(isInGraph: true, isConnected: true, isLauncherPresent: true)
    private static let left = Sight(isInGraph: true, isConnected: false, isLauncherPresent: false)
    private static let gone = Sight()

    private func policy(_ start: AppStart = .forBus(AppLaunch()), _ sights: Sight...) -> Policy {
        var policy = Policy(start: start, firstConnectionLimit: Self.limit)
        for sight in sights { _ = policy.handle(.seen(sight), at: .zero) }
        return policy
    }

    /// A policy of an app that has just lost its last connection, at time 0.
    private var muted: Policy { policy(.forBus(AppLaunch()), Self.idle, Self.connected, Self.idle) }

    func testTheUsualLife() {
        var policy = policy()
        XCTAssertEqual(policy.handle(.seen(Self.idle), at: .seconds(1)), [])
        XCTAssertEqual(policy.phase, .expected(until: .seconds(61)))
        XCTAssertEqual(policy.handle(.seen(Self.connected), at: .seconds(2)), [])
        XCTAssertEqual(policy.phase, .inUse)
        XCTAssertNil(policy.deadline)
        XCTAssertEqual(policy.handle(.seen(Self.idle), at: .seconds(3)), [.mute])
        XCTAssertEqual(policy.deadline, .seconds(4))
        XCTAssertEqual(policy.handle(.timePassed, at: .milliseconds(3999)), [])
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(4)), [.ask(1)])
        XCTAssertEqual(policy.handle(.answered(1, mayEnd: true), at: .seconds(5)), [.end])
        XCTAssertEqual(policy.phase, .ended)
    }

    func testReconnectedWithinTheSecond() {
        var policy = muted
        XCTAssertEqual(policy.handle(.seen(Self.connected), at: .milliseconds(900)), [.unmute])
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(1)), [])
        XCTAssertEqual(policy.phase, .inUse)
    }

    func testConnectedWhileTheAppIsAsked() {
        var policy = muted
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(1)), [.ask(1)])
        XCTAssertEqual(policy.handle(.seen(Self.connected), at: .seconds(1)), [.unmute])
        XCTAssertEqual(policy.handle(.answered(1, mayEnd: true), at: .seconds(2)), [])
        XCTAssertEqual(policy.handle(.seen(Self.idle), at: .seconds(3)), [.mute])
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(4)), [.ask(2)])
        // An answer to the first question is none to the second.
        XCTAssertEqual(policy.handle(.answered(1, mayEnd: true), at: .seconds(4)), [])
        XCTAssertEqual(policy.handle(.answered(2, mayEnd: true), at: .seconds(4)), [.end])
    }

    func testNobodyConnectsIt() {
        var policy = policy(.forBus(AppLaunch()), Self.idle)
        XCTAssertEqual(policy.handle(.seen(Self.left), at: .seconds(30)), [], "its launcher may be a tool")
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(59)), [])
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(60)), [.mute])
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(61)), [.ask(1)])
    }

    func testAWindow() {
        var policy = policy(.forBus(AppLaunch()), Self.idle)
        XCTAssertEqual(policy.handle(.shown(true), at: .seconds(1)), [])
        XCTAssertEqual(policy.phase, .inUse)
        // Closed before anybody could connect it.
        XCTAssertEqual(policy.handle(.shown(false), at: .seconds(2)), [])
        XCTAssertEqual(policy.phase, .expected(until: .seconds(60)))
        _ = policy.handle(.seen(Self.connected), at: .seconds(3))
        _ = policy.handle(.shown(true), at: .seconds(3))
        XCTAssertEqual(policy.handle(.seen(Self.idle), at: .seconds(4)), [], "it shows")
        XCTAssertEqual(policy.handle(.shown(false), at: .seconds(5)), [.mute])
        XCTAssertEqual(policy.handle(.shown(true), at: .seconds(5)), [.unmute])
        XCTAssertEqual(policy.phase, .inUse)
        _ = policy.handle(.seen(Self.connected), at: .seconds(6))
        XCTAssertEqual(policy.handle(.shown(false), at: .seconds(7)), [], "it is connected")
    }

    func testVeto() {
        var policy = muted
        _ = policy.handle(.timePassed, at: .seconds(1))
        XCTAssertEqual(policy.handle(.answered(1, mayEnd: false), at: .seconds(1)), [.unmute])
        XCTAssertEqual(policy.phase, .vetoed)
        XCTAssertEqual(policy.handle(.seen(Self.idle), at: .seconds(9)), [], "nothing has changed")
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(99)), [])
        XCTAssertEqual(policy.handle(.seen(Self.left), at: .seconds(100)), [.mute], "its launcher has left")
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(101)), [.ask(2)])
        XCTAssertEqual(policy.handle(.answered(2, mayEnd: false), at: .seconds(101)), [.unmute])
        _ = policy.handle(.seen(Self.connected), at: .seconds(102))
        XCTAssertEqual(policy.handle(.seen(Self.left), at: .seconds(103)), [.mute], "disconnected again")
    }

    func testARestartOfTheDaemonIsNoDisconnect() {
        var policy = policy(.forBus(AppLaunch()), Self.idle, Self.connected)
        XCTAssertEqual(policy.handle(.seen(Self.gone), at: .seconds(1)), [])
        XCTAssertEqual(policy.phase, .expected(until: .seconds(601)))
        XCTAssertEqual(policy.handle(.seen(Self.left), at: .seconds(90)), [])
        XCTAssertEqual(policy.phase, .expected(until: .seconds(150)))
        XCTAssertEqual(policy.handle(.seen(Self.connected), at: .seconds(91)), [])
        XCTAssertEqual(policy.phase, .inUse)
        // In the second after a disconnect, too: a daemon that ends removes connections first.
        _ = policy.handle(.seen(Self.idle), at: .seconds(92))
        XCTAssertEqual(policy.handle(.seen(Self.gone), at: .seconds(92)), [.unmute])
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(93)), [])
    }

    func testADaemonThatNeverComesBack() {
        var policy = policy(.forBus(AppLaunch()), Self.idle, Self.connected)
        _ = policy.handle(.seen(Self.gone), at: .seconds(1))
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(600)), [])
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(601)), [.mute])
        XCTAssertEqual(policy.handle(.timePassed, at: .seconds(602)), [.ask(1)])
        XCTAssertEqual(policy.handle(.answered(1, mayEnd: true), at: .seconds(602)), [.end])
        // One that shows itself stays.
        var shown = self.policy(.forBus(AppLaunch()), Self.idle, Self.connected)
        _ = shown.handle(.shown(true), at: .seconds(1))
        _ = shown.handle(.seen(Self.gone), at: .seconds(1))
        XCTAssertEqual(shown.phase, .inUse)
        // One that has never seen a daemon.
        XCTAssertEqual(self.policy(.forBus(AppLaunch()), Self.gone).phase, .expected(until: .seconds(600)))
    }

    func testAppsThatAreExempt() {
        var normal = policy(.normal, Self.idle, Self.connected)
        for event: Policy.Event in [
            .seen(Self.idle), .portRequested, .shown(true), .shown(false), .showRequested, .timePassed,
            .answered(0, mayEnd: true), .seen(Self.connected), .seen(Self.left), .seen(Self.gone), .seen(Self.idle),
        ] {
            XCTAssertEqual(normal.handle(event, at: .seconds(100)), [])
            XCTAssertEqual(normal.phase, .exempt)
        }
        var shown = policy(.byDBus, Self.idle)
        XCTAssertEqual(shown.phase, .undecided)
        _ = shown.handle(.showRequested, at: .seconds(1))
        XCTAssertEqual(shown.phase, .exempt)
        _ = shown.handle(.portRequested, at: .seconds(1))
        XCTAssertEqual(shown.phase, .exempt)
        var wanted = policy(.byDBus, Self.idle)
        _ = wanted.handle(.portRequested, at: .seconds(1))
        XCTAssertEqual(wanted.phase, .expected(until: .seconds(61)))
    }

    func testWantedAgain() {
        for event in [Policy.Event.portRequested, .showRequested] {
            var policy = muted
            XCTAssertEqual(policy.handle(event, at: .milliseconds(500)), [.unmute])
            XCTAssertEqual(policy.phase, .expected(until: .milliseconds(60_500)))
            var used = self.policy(.forBus(AppLaunch()), Self.idle, Self.connected)
            _ = used.handle(event, at: .seconds(1))
            XCTAssertEqual(used.phase, .inUse)
        }
    }

    /// Every sequence of five events after the first look, with time to pass between them: what must hold of all is checked after each.
    func testEverySequence() {
        let events: [Policy.Event] = [
            .seen(Self.idle), .seen(Self.connected), .seen(Self.left), .seen(Self.gone), .shown(true), .shown(false),
            .portRequested, .showRequested, .timePassed, .answered(1, mayEnd: true), .answered(1, mayEnd: false),
        ]
        var count = 0
        func extend(_ policy: Policy, _ wasMuted: Bool, at now: Duration, depth: Int, _ start: AppStart) {
            guard depth > 0 else { return }
            for event in events {
                for step in [Duration.zero, .seconds(601)] where step == .zero || event == .timePassed {
                    var next = policy
                    let actions = next.handle(event, at: now + step)
                    count += 1
                    var isMuted = wasMuted
                    for action in actions {
                        switch action {
                        case .mute:
                            XCTAssertFalse(isMuted)
                            isMuted = true
                        case .unmute:
                            XCTAssertTrue(isMuted)
                            isMuted = false
                        case .ask:
                            XCTAssertTrue(isMuted)
                        case .end:
                            // Never unless it was launched for the bus, is unused, and was asked.
                            XCTAssertTrue(isMuted)
                            XCTAssertNotEqual(start, .normal)
                            XCTAssertFalse(next.sight.isInGraph && next.sight.isConnected || next.isShown)
                            XCTAssertEqual(policy.phase, .asking(1))
                            XCTAssertEqual(next.phase, .ended)
                        }
                    }
                    // An app that is used is not muted, and one that is not has a time at which it is looked at.
                    let isUsed = next.sight.isInGraph && next.sight.isConnected || next.isShown
                    switch next.phase {
                    case .exempt: XCTAssertFalse(isMuted)
                    case .undecided: XCTAssertFalse(isMuted)
                    case .inUse: XCTAssertTrue(isUsed && !isMuted)
                    case .expected: XCTAssertTrue(!isUsed && !isMuted && next.deadline != nil)
                    case .muted: XCTAssertTrue(!isUsed && isMuted && next.deadline != nil)
                    case .asking: XCTAssertTrue(!isUsed && isMuted)
                    case .vetoed: XCTAssertTrue(!isUsed && !isMuted)
                    case .ended: XCTAssertTrue(isMuted)
                    }
                    if policy.phase == .ended { XCTAssertEqual(actions, []) }
                    extend(next, isMuted, at: now + step, depth: depth - 1, start)
                }
            }
        }
        for start in [AppStart.normal, .byDBus, .forBus(AppLaunch())] {
            for sight in [Self.idle, Self.connected, Self.left, Self.gone] {
                extend(policy(start, sight), false, at: .zero, depth: 5, start)
            }
        }
        XCTAssertGreaterThan(count, 500_000)
    }
}
