// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBusTesting
import XCTest

/// Sender, filter and receiver, each in a process of its own.
struct Chain {
    let peers: [Peer]
    var receiver: Peer { peers[2] }

    static func start(
        on daemon: HeadlessPipeWire, client: PipeWireInstallation = .chosen
    ) async throws -> Chain {
        let receiver = try await Peer.start("Receiver", on: daemon, client: client)
        let filter = try await Peer.start("Filter", on: daemon, client: client)
        let sender = try await Peer.start("Sender", on: daemon, client: client)
        try await receiver.addReceiver("in", channels: 2, expecting: .counting, by: .position)
        try await filter.addFilter("fx", channels: 2, expecting: .counting, by: .position)
        try await sender.addSender("out", channels: 2, .counting, by: .position)
        try await receiver.join("Filter", to: "Receiver")
        try await receiver.join("Sender", to: "Filter")
        let chain = Chain(peers: [sender, filter, receiver])
        // The links of a connection do not begin in the same cycle when the graph runs; what counts is what comes then.
        try await eventually("sound", within: .seconds(40)) { try await receiver.report("in").correct > 48_000 / 10 }
        for (peer, port) in zip(chain.peers, ["out", "fx", "in"]) { try await peer.recount(port) }
        return chain
    }

    /// Waits until the graph's clock has gone on for so many frames, as the receiver heard it.
    func run(for frames: UInt64, within timeout: Duration) async throws {
        let end = try await receiver.report("in").endPosition + frames
        try await eventually("the clock to reach \(end)", within: timeout) {
            try await receiver.report("in").endPosition >= end
        }
    }

    /// Ends the processes, and looks at every frame.
    func check(file: StaticString = #filePath, line: UInt = #line) async throws -> PeerReport {
        // From the end of the chain to its beginning, so that no port hears another one end.
        let report = try await receiver.report("in")
        let others = [try await peers[1].report("fx"), try await peers[0].report("out")]
        for peer in peers.reversed() { try await peer.close() }
        print(
            "heard \(report.frames) frames in \(report.cycles) cycles; \(report.wrong) wrong, \(report.missedFrames) missed "
                + "in \(report.gaps.count) gaps, \(report.breaks.count) breaks")
        assertFaultsAreReported(to: report, through: others, file: file, line: line)
        // Every frame from the first to the last was heard or was in a gap; a position may also come twice.
        XCTAssertGreaterThanOrEqual(
            report.frames + report.missedFrames, report.endPosition - report.firstPosition, "frames nobody knows of",
            file: file, line: line)
        return report
    }
}
