// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source that is stopped while several apps hear it: each app disconnects its own port, and must not have to wait for the
/// others.
final class HungSourceOfSeveralTests: DaemonTestCase {
    func testEveryAppIsFree() async throws { try await stop(.chosen) }
    func testEveryAppIsFreeOnANewerPipeWire() async throws { try await stop(.newer()) }

    private func stop(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
        let source = try await Peer.start("Source", on: daemon)
        try await source.addSender("out", .constant(0.5))
        var takers: [Peer] = []
        for index in 1...4 {
            let taker = try await Peer.start("Taker\(index)", on: daemon)
            try await taker.addReceiver("in")
            try await taker.join("Source/out", to: "Taker\(index)/in")
            takers.append(taker)
        }
        for taker in takers {
            try await eventually("sound") { try await taker.report("in").counts.cycles > 20 }
        }
        let start = ContinuousClock.now
        kill(source.process.pid, SIGSTOP)
        var times: [String: Duration] = [:]
        try await eventually("all to be free") {
            for taker in takers where times[taker.name] == nil {
                let sources = try await taker.sources("in")
                if sources.contains(where: \.isStalled) { times[taker.name] = start.duration(to: .now) }
            }
            return times.count == takers.count
        }
        kill(source.process.pid, SIGCONT)
        for taker in takers {
            try await eventually("sound again", within: .seconds(20)) {
                try await taker.meters("in").contains { $0.peak == 0.5 }
            }
            let notices = try await taker.notices()
            XCTAssertEqual(notices.filter { $0.kind == Notice.Kind.sourceStalled.rawValue }.count, 1)
        }
        let detected = times.values.sorted().map { "\(Int($0 / .milliseconds(1)))" }
        FaultTable.shared.add(
            FaultTable.Row(
                "a source of four apps stopped", saw: ["sourceStalled"], back: "",
                silence: "each free after \(detected.joined(separator: ", "))", on: installation))
        for peer in takers + [source] { try await peer.close() }
    }
}
