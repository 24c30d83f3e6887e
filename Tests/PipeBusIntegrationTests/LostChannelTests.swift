// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Another client destroys one channel of a port, not its node. On 0.3.65 libpipewire then unmaps the buffers that the
/// audio thread of a sender or a filter still uses.
final class LostChannelTests: DaemonTestCase {
    func testTheAppLivesAndThePortIsMadeAgain() async throws {
        try await run(on: .chosen, client: .chosen)
    }

    func testTheAppLivesAndThePortIsMadeAgainWithANewerPipeWire() async throws {
        let newer = try PipeWireInstallation.newer()
        try await run(on: newer, client: newer)
    }

    func testAnOldAppLivesOnANewDaemon() async throws {
        try await run(on: try PipeWireInstallation.newer(), client: .system)
    }

    /// One app loses a channel of each kind of port, one after the other, while another of its senders is heard.
    private func run(on installation: PipeWireInstallation, client: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(quantum: 256), installation: installation)
        let app = try await Peer.start("App", on: daemon, client: client)
        let ends = try await Peer.start("Ends", on: daemon, client: client)
        let source = try await Peer.start("Source", on: daemon, client: client)
        try await source.addSender("out", channels: 2, .counting)
        try await app.addSender("other", .counting)
        try await ends.addReceiver("listener")
        try await ends.join("App.other", to: "Ends.listener")
        try await ends.addReceiver("sink", channels: 2)

        try await app.addSender("out", channels: 2, .counting)
        try await ends.join("App.out", to: "Ends.sink")
        try await loseChannel(isInput: false, of: "out", of: app, on: daemon)
        for isInput in [false, true] {
            let name = isInput ? "fx1" : "fx2"
            try await app.addFilter(name, channels: 2)
            try await ends.join("Source.out", to: "App.\(name)")
            try await ends.join("App.\(name)", to: "Ends.sink")
            try await loseChannel(isInput: isInput, of: name, of: app, on: daemon)
        }
        try await app.addReceiver("in", channels: 2)
        try await ends.join("Source.out", to: "App.in")
        try await loseChannel(isInput: true, of: "in", of: app, on: daemon)

        let heard = try await ends.report("listener").cycles
        try await eventually("the sender that lost nothing") { try await ends.report("listener").cycles > heard + 10 }
        let kinds = try await app.notices().map(\.kind)
        XCTAssertEqual(kinds, Array(repeating: "portRestored", count: 4))
        for peer in [app, ends, source] {
            let ending = try await peer.close()
            XCTAssertEqual(ending, .exited(0), peer.name)
        }
    }

    private func loseChannel(
        isInput: Bool, of port: String, of app: Peer, on daemon: HeadlessPipeWire, line: UInt = #line
    ) async throws {
        let start = try await app.report(port).cycles
        try await eventually("the port to run") { try await app.report(port).cycles > start + 10 }
        let known = try await app.notices().count
        let dump = try await GraphDump.take(daemon, client: daemon.installation)
        let node = try XCTUnwrap(dump.nodes(named: "App.\(port)").first, line: line)
        let count = dump.channelCount(of: node)
        let channel = try XCTUnwrap(
            dump.objects.first {
                $0.type == "Port" && $0.properties["node.id"] == "\(node.id)"
                    && $0.properties["port.direction"] == (isInput ? "in" : "out")
            }, line: line)
        try await daemon.run("pw-cli", ["destroy", "\(channel.id)"]).waitForEnd()
        try await eventually("the notice") { try await app.notices().count > known }
        let notice = try await app.notices()[known]
        XCTAssertEqual(notice.kind, "portRestored", line: line)
        XCTAssertTrue(notice.message.contains("a channel of the port \"App \(port)\""), notice.message, line: line)
        try await eventually("the port again, with all its channels") {
            let dump = try await GraphDump.take(daemon, client: daemon.installation)
            guard let again = dump.nodes(named: "App.\(port)").first, again.serial != node.serial
            else { return false }
            return dump.channelCount(of: again) == count
        }
    }
}
