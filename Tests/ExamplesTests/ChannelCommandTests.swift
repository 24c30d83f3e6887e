// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Channels by name at `pipebus connect`.
final class ChannelCommandTests: LevelCommandTestCase {
    func testChannelsAreNamedAndMapped() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote, as: "Mixer")
        let lead = try await connectClient(to: daemon.remote, as: "Lead")
        let (source, _) = try await lead.source("main", of: .counting, channels: .stereo)
        let (stereo, _) = try await bus.keeper("in", channels: .stereo)
        let mono = try await bus.receiver("mono", channels: .mono, state: ()) { _, _, _ in }
        try await eventually("all") { await bus.graph.ports.count == 3 }
        for (arguments, port, links) in [
            (["Lead", "Mixer", "--map", "FL:FR,FR:FL"], stereo, [[0, 1], [1, 0]]),
            (["Lead", "Mixer", "--map", "l:r"], stereo, [[0, 1]]), (["Lead:FL", "Mixer:FR"], stereo, [[0, 1]]),
            (["Lead:R", "Mixer"], stereo, [[1, 0], [1, 1]]), (["Lead:main:FR", "Mixer:in:1"], stereo, [[1, 0]]),
            (["Lead", "Mixer:mono", "--downmix"], mono, [[0, 0], [1, 0]]),
            (["lead:fl", "mixer:mono"], mono, [[0, 0]]),
            (["Lead", "Mixer:FL", "--downmix"], stereo, [[0, 0], [1, 0]]),
        ] as [([String], ReceiverPort, [[Int]])] {
            let text = try await value(["connect"] + arguments + ["--timeout", "0"], at: daemon)
            XCTAssertEqual(text, "source=Lead.main destination=\(port.nodeName) links=\(links.count)")
            let present = await bus.graph.connection(from: source.id, to: port.id)?.links ?? []
            XCTAssertEqual(
                present.map { [$0.output, $0.input] }.sorted { $0.lexicographicallyPrecedes($1) }, links, "\(arguments)"
            )
            _ = try await value(["disconnect", "Lead", port.nodeName], at: daemon)
        }
        for (arguments, status, words) in [
            (
                ["Lead", "Mixer:mono"], 1,
                "Lead.main gives stereo and Mixer.mono takes mono, which do not go together; "
                    + "\"pipebus connect Lead.main Mixer.mono --downmix\" adds all of them up in one, and "
                    + "\"pipebus connect Lead.main:FL Mixer.mono\" takes one alone."
            ),
            (
                ["Lead", "Mixer:in", "--downmix"], 1,
                "\"pipebus connect Lead.main Mixer.in:FL --downmix\" adds all of them up in one, and --map FL:FL,FR:FR says which"
            ),
            (["Lead", "Mixer:FR"], 1, "\"pipebus connect Lead.main Mixer.in:FR --downmix\""),
            (["Lead", "Mixer", "--map", "FL"], 64, "such as FL:FR,FR:FL"),
            (["Lead", "Mixer", "--map", "FL:FR", "--downmix"], 64, "not both"),
            (["Lead:FL", "Mixer", "--map", "FL:FR"], 64, "name the ports without theirs"),
            (["Lead:FL", "Mixer", "--downmix"], 64, "name the source without one"),
            (["Lead:LFE", "Mixer"], 64, "Lead main has no channel \"LFE\"; it has FL, FR."),
            (["Lead:nonsense", "Mixer"], 1, "no port or app called \"Lead:nonsense\""),
        ] as [([String], Int32, String)] {
            let process = try await pipebus(["connect"] + arguments + ["--timeout", "0"], at: daemon)
            try await assertOneSentence(process, from: "pipebus", status: status, saying: words)
        }
        let disconnect = try await pipebus(["disconnect", "Lead:FL", "Mixer"], at: daemon)
        try await assertOneSentence(disconnect, from: "pipebus", status: 1, saying: "with all their channels")
        let left = await bus.graph.connections
        XCTAssertEqual(left, [])
    }

    /// What is said works.
    func testWhatToDoAboutChannelsThatDoNotGoTogether() async throws {
        let daemon = try await startDaemon()
        let six = try await connectClient(to: daemon.remote, as: "Six")
        let (wide, _) = try await six.source("main", of: .counting, channels: .channels(6))
        let lead = try await connectClient(to: daemon.remote, as: "Lead")
        _ = try await lead.source("main", of: .counting, channels: .stereo)
        let mono = try await connectClient(to: daemon.remote, as: "Mono")
        _ = try await mono.filter("fx", inputs: .mono, state: ()) { _, _, _, _ in }
        let bus = try await connectClient(to: daemon.remote, as: "Mixer")
        let (mixer, _) = try await bus.keeper("in", channels: .stereo)
        try await eventually("all") { await bus.graph.ports.count == 4 }
        let refused = try await pipebus(["connect", "Six", "Mixer", "--downmix", "--timeout", "0"], at: daemon)
        let sentence = try await assertOneSentence(
            refused, from: "pipebus", status: 1, saying: "Six.main gives 6 channels and Mixer.in takes stereo")
        let command = try XCTUnwrap(sentence.split(separator: "\"").first { $0.hasPrefix("pipebus connect") })
        _ = try await value(command.split(separator: " ").dropFirst().map(String.init), at: daemon)
        let links = await bus.graph.connection(from: wide.id, to: mixer.id)?.links.count
        XCTAssertEqual(links, 6)
        _ = try await value(["connect", "Lead", "Mixer", "--timeout", "0"], at: daemon)
        let insert = try await pipebus(["insert", "Mono", "Lead", "Mixer"], at: daemon)
        try await assertOneSentence(
            insert, from: "pipebus", status: 1,
            saying:
                "Lead main gives 2 channels and Mono fx takes 1 channel, and an insertion connects all channels; disconnect"
        )
        let path = try await pipebus(["connect", "Lead", "Mono", "Mixer", "--timeout", "0"], at: daemon)
        try await assertOneSentence(
            path, from: "pipebus", status: 1, saying: "\"pipebus connect Lead.main Mono.fx --downmix\" adds all")
    }

    /// A script may name a channel of a port that is yet to come.
    func testAChannelOfAPortThatIsYetToComeIsWaitedFor() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote, as: "Mixer")
        let (receiver, _) = try await bus.keeper("in", channels: .stereo)
        let process = try start(
            "pipebus", ["connect", "Late:FR", "Mixer", "--timeout", "20"], at: daemon.environment())
        try await eventually("it to wait") { (try? await self.clientID(of: "PipeBus patchbay", at: daemon)) != nil }
        let late = try await connectClient(to: daemon.remote, as: "Late")
        let (source, _) = try await late.source("main", of: .counting, channels: .stereo)
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        let links = await bus.graph.connection(from: source.id, to: receiver.id)?.links.map { [$0.output, $0.input] }
        XCTAssertEqual(links?.sorted { $0.lexicographicallyPrecedes($1) }, [[1, 0], [1, 1]])
    }

    /// A source that hangs is disconnected until it answers, and then connected as it was.
    func testASourceThatHungGetsItsChannelsBack() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
        try await waitForPort("Tone.out", of: tone, seenBy: bus)
        let (receiver, keeper) = try await bus.keeper("in", channels: .stereo)
        let source = try await bus.connect("Tone", to: receiver, channels: .single(input: "R")).source
        func links() async -> [[Int]] {
            let links = await bus.graph.connection(from: source, to: receiver.id)?.links ?? []
            return links.map { [$0.output, $0.input] }
        }
        try await eventually("sound") { keeper.frameCount > 0 }
        tone.signal(SIGSTOP)
        try await eventually("it to be disconnected") { await links().isEmpty }
        tone.signal(SIGCONT)
        try await eventually("its link") { await links() == [[0, 1]] }
        try await eventually("it to be heard") { try await receiver.sources.map(\.isStalled) == [false] }
    }
}
