// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Apps behind one that hangs, and apps that hang themselves.
final class HungChainTests: DaemonTestCase {
    private func notices(_ peer: Peer, _ kind: Notice.Kind) async throws -> [PeerNotice] {
        try await peer.notices().filter { $0.kind == kind.rawValue }
    }

    /// A sender, a filter and a receiver, each of an app with PipeBus.
    private struct FilteredChain {
        let origin: Peer
        let middle: Peer
        let taker: Peer

        func close() async throws { for peer in [origin, middle, taker] { try await peer.close() } }
    }

    /// Starts one, and waits until it runs.
    private func startChain(_ installation: PipeWireInstallation) async throws -> FilteredChain {
        let daemon = try await startDaemon(installation: installation)
        let origin = try await Peer.start("Origin", on: daemon, client: installation)
        try await origin.addSender("out", .constant(0.5))
        let middle = try await Peer.start("Middle", on: daemon, client: installation)
        try await middle.addFilter("fx")
        let taker = try await Peer.start("Taker", on: daemon, client: installation)
        try await taker.addReceiver("in")
        try await middle.join("Origin/out", to: "Middle/fx")
        try await taker.join("Middle/fx", to: "Taker/in")
        try await eventually("sound") { try await taker.report("in").counts.cycles > 20 }
        return FilteredChain(origin: origin, middle: middle, taker: taker)
    }

    /// The filter in between belongs to an app with PipeBus: it disconnects the source, and the receiver goes on.
    func testTheNextAppDisconnectsIt() async throws {
        for installation in PipeWireInstallation.all {
            let chain = try await startChain(installation)
            let (origin, middle, taker) = (chain.origin, chain.middle, chain.taker)
            kill(origin.process.pid, SIGSTOP)
            try await eventually("the notice") { try await self.notices(middle, .sourceStalled).count == 1 }
            let before = try await taker.report("in").counts.cycles
            try await eventually("cycles") { try await taker.report("in").counts.cycles > before + 20 }
            let sources = try await taker.sources("in")
            XCTAssertEqual(sources.map(\.isStalled), [false])
            // At most once, if it was as fast as the next app.
            let upstream = try await notices(taker, .upstreamStalled)
            XCTAssertLessThanOrEqual(upstream.count, 1)
            XCTAssertTrue(upstream.allSatisfy { $0.message.contains("Origin") }, "\(upstream)")
            let ours = try await notices(taker, .sourceStalled)
            XCTAssertEqual(ours, [])
            kill(origin.process.pid, SIGCONT)
            try await eventually("sound", within: .seconds(20)) {
                try await taker.meters("in").contains { $0.peak == 0.5 }
            }
            let again = try await notices(middle, .sourceStalled)
            XCTAssertEqual(again.count, 1)
            try await chain.close()
        }
    }

    /// The node in between belongs to an app without PipeBus, which does nothing. The receiver's app is told about the source that
    /// hangs, and then disconnects the node in between, so that another source is heard.
    func testAnAppTwoHopsUpstream() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let foreign = try ForeignFilter("Foreign", at: daemon.remote, latency: 0)
            let origin = try await Peer.start("Origin", on: daemon, client: installation)
            // It hangs as well, and is not named.
            try await origin.addReceiver("near")
            try await origin.addSender("out", .constant(0.5))
            try await hang([origin], before: "Foreign", on: daemon)
            try await origin.close()
            withExtendedLifetime(foreign) {}
        }
    }

    /// The app in between is stopped as well, so it cannot disconnect the source.
    func testTwoAppsOfAChain() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let origin = try await Peer.start("Origin", on: daemon, client: installation)
            try await origin.addSender("out", .constant(0.5))
            let middle = try await Peer.start("Middle", on: daemon, client: installation)
            try await middle.addFilter("fx")
            try await hang([origin, middle], before: "Middle.fx", on: daemon)
            for peer in [origin, middle] { try await peer.close() }
        }
    }

    /// Stops apps, the first of them a sender, whose sound comes to a receiver through a node.
    private func hang(_ apps: [Peer], before node: String, on daemon: HeadlessPipeWire) async throws {
        let taker = try await Peer.start("Taker", on: daemon, client: daemon.installation)
        try await taker.addReceiver("in")
        let steady = try await Peer.start("Steady", on: daemon, client: daemon.installation)
        try await steady.addSender("out", .constant(0.25))
        try await taker.join("Steady/out", to: "Taker/in")
        try await taker.join("Origin/out", to: node)
        try await taker.join(node, to: "Taker/in")
        func isHeard(_ peaks: Set<Float>) async throws -> Bool {
            Set(try await taker.meters("in").map(\.peak)).isSuperset(of: peaks)
        }
        try await eventually("both sources") { try await isHeard([0.25, 0.5]) }
        let before = try await taker.report("in").counts.cycles
        for app in apps { kill(app.process.pid, SIGSTOP) }
        try await eventually("the source that hangs to be named", within: .seconds(20)) {
            try await self.notices(taker, .upstreamStalled).count == 1
        }
        try await eventually("the node in between to be disconnected", within: .seconds(20)) {
            try await taker.sources("in").map(\.isStalled).contains(true)
        }
        let heard = try await taker.report("in").counts.cycles
        XCTAssertGreaterThanOrEqual(heard, before)
        try await eventually("the other source") {
            let cycles = try await taker.report("in").counts.cycles
            let isHeard = try await isHeard([0.25])
            return cycles > heard + 50 && isHeard
        }
        let (named, accused) = (try await notices(taker, .upstreamStalled), try await notices(taker, .sourceStalled))
        XCTAssertEqual(named.count, 1)
        XCTAssertTrue(named.first?.message.contains("Origin") ?? false, "\(named)")
        XCTAssertEqual(accused.count, 1)
        XCTAssertTrue(accused.first?.message.contains("waits for Origin") ?? false, "\(accused)")
        for app in apps { kill(app.process.pid, SIGCONT) }
        try await eventually("both sources again", within: .seconds(20)) {
            let stalls = try await taker.sources("in").map(\.isStalled)
            return try await isHeard([0.25, 0.5]) && stalls == [false, false]
        }
        try await eventually("the end of the notice", within: .seconds(20)) {
            try await self.notices(taker, .upstreamRestored).map(\.message)
                == ["Origin out does not hold up Taker in any more."]
        }
        for peer in [steady, taker] { try await peer.close() }
    }

    /// A block that does not return is reported by its own app before it returns, also if the app downstream was faster: when
    /// that disconnects the filter, libpipewire holds the loop of the filter's app until the block returns. The app accuses nobody.
    func testTheOwnBlock() async throws {
        for installation in PipeWireInstallation.all {
            for _ in 0..<3 {
                let chain = try await startChain(installation)
                let (middle, taker) = (chain.middle, chain.taker)
                try await middle.hang("fx", for: 60)
                try await eventually("the app's own notice") {
                    try await self.notices(middle, .blockStalled).count == 1
                }
                let cycles = try await middle.report("fx").counts.cycles
                try await eventually("the other app's", within: .seconds(20)) {
                    try await self.notices(taker, .sourceStalled).count == 1
                }
                let laterCycles = try await middle.report("fx").counts.cycles
                XCTAssertEqual(laterCycles, cycles, "the block has not returned yet")
                try await middle.release("fx")
                try await assertBothToldOnce(chain)
                try await chain.close()
            }
        }
    }

    /// Both apps find it out at about the same time, in either order.
    func testTheOwnBlockThatReturns() async throws {
        for installation in PipeWireInstallation.all {
            let chain = try await startChain(installation)
            try await chain.middle.hang("fx", for: 1.5)
            try await eventually("the app's own notice") {
                try await self.notices(chain.middle, .blockStalled).count == 1
            }
            try await eventually("the other app's") {
                try await self.notices(chain.taker, .sourceStalled).count == 1
            }
            try await assertBothToldOnce(chain)
            try await chain.close()
        }
    }

    /// libpipewire holds the app's loop, and the app sees a signal all the same.
    func testAnAppWhoseLoopIsHeldEndsByASignal() async throws {
        for installation in PipeWireInstallation.all {
            let chain = try await startChain(installation)
            try await chain.middle.hang("fx", for: 60)
            try await eventually("the other app's notice", within: .seconds(20)) {
                try await self.notices(chain.taker, .sourceStalled).count == 1
            }
            chain.middle.process.signal(SIGTERM)
            // Closing waits for eight seconds, and for the block no longer.
            let ending = try await chain.middle.process.waitForEnd(within: .seconds(30))
            XCTAssertEqual(ending, .exited(0))
            for peer in [chain.origin, chain.taker] { try await peer.close() }
        }
    }

    /// Any second signal ends it at once.
    func testAnAppWhoseLoopIsHeldEndsAtOnceByTwoSignals() async throws {
        for second in [SIGINT, SIGTERM] {
            let chain = try await startChain(.chosen)
            try await chain.middle.hang("fx", for: 60)
            try await eventually("the other app's notice", within: .seconds(20)) {
                try await self.notices(chain.taker, .sourceStalled).count == 1
            }
            chain.middle.process.signal(SIGTERM)
            // Two that come together are one, and so are two of SIGTERM within 200 ms.
            try await eventually("the first signal to be taken") {
                let status = try String(contentsOfFile: "/proc/\(chain.middle.process.pid)/status", encoding: .utf8)
                let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
                let caught = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
                return caught & 1 << UInt64(SIGINT - 1) == 0
            }
            let taken = ContinuousClock.now
            try await eventually("the time of an echo") { taken.duration(to: .now) > .milliseconds(250) }
            chain.middle.process.signal(second)
            let ending = try await chain.middle.process.waitForEnd(within: .seconds(6))
            XCTAssertEqual(ending, .killed(signal: second))
            for peer in [chain.origin, chain.taker] { try await peer.close() }
        }
    }

    /// Sound is back after the block of the app in the middle has returned, and each app has posted one notice.
    private func assertBothToldOnce(_ chain: FilteredChain) async throws {
        try await eventually("sound", within: .seconds(20)) {
            let sources = try await chain.taker.sources("in")
            let meters = try await chain.taker.meters("in")
            return sources.map(\.isStalled) == [false] && meters.contains { $0.peak == 0.5 }
        }
        for (kind, count) in [(Notice.Kind.blockStalled, 1), (.sourceStalled, 0), (.upstreamStalled, 0)] {
            let posted = try await notices(chain.middle, kind)
            // With ThreadSanitizer the call after the one that hung takes 0.1 s, and is reported too.
            if kind == .blockStalled, Sanitizer.isThread, posted.count == 2 { continue }
            XCTAssertEqual(posted.count, count, "\(kind)")
        }
        let accused = try await notices(chain.taker, .sourceStalled)
        XCTAssertEqual(accused.count, 1)
    }

    /// The source goes on for another app that has no PipeBus, so that its node is never idle: the profiler shows that it
    /// answers.
    func testASourceWithOtherLinks() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
            let origin = try await Peer.start("Origin", on: daemon, client: installation)
            try await origin.addSender("out", .constant(0.5))
            let steady = try await Peer.start("Steady", on: daemon, client: installation)
            try await steady.addSender("out", .constant(0.25))
            let taker = try await Peer.start("Taker", on: daemon, client: installation)
            try await taker.addReceiver("in")
            try await taker.join("Origin/out", to: "Taker/in")
            try await taker.join("Steady/out", to: "Taker/in")
            try await taker.join("Origin/out", to: "null-sink")
            try await eventually("sound") { try await taker.report("in").counts.cycles > 20 }
            kill(origin.process.pid, SIGSTOP)
            try await eventually("the stall") { try await taker.sources("in").first?.isStalled == true }
            let before = try await taker.report("in").counts.cycles
            try await eventually("cycles") { try await taker.report("in").counts.cycles > before + 50 }
            let stalled = try await taker.sources("in")
            XCTAssertEqual(stalled.map(\.isStalled), [true, false])
            kill(origin.process.pid, SIGCONT)
            let answered = ContinuousClock.now
            try await eventually("the source to be back", within: .seconds(20)) {
                let sources = try await taker.sources("in")
                let meters = try await taker.meters("in")
                return sources.map(\.isStalled) == [false, false] && meters.contains { $0.peak == 0.5 }
            }
            print("a source with other links was back \(answered.duration(to: .now)) after its answer")
            for peer in [origin, steady, taker] { try await peer.close() }
        }
    }
}
