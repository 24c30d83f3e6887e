// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// What is shown of a graph.
final class DiagramBuilderTests: XCTestCase {
    private let diagram = DiagramFixture.everything.diagram()

    private func port(_ name: String, _ kind: GraphDiagram.Port.Kind? = nil) throws -> GraphDiagram.Port {
        try XCTUnwrap(diagram.ports.first { $0.uniqueName == name && (kind == nil || $0.kind == kind) })
    }

    func testAppsAreSortedAndDevicesAndMonitorsAreApart() {
        XCTAssertEqual(
            diagram.apps.map(\.name),
            ["Bass", "Drums", "Dub", "Echo", "Mixer", "Rack", "Tape", "Devices", "Monitors of devices"])
        XCTAssertEqual(diagram.apps.suffix(2).map(\.kind), [.devices, .monitors])
        XCTAssertEqual(diagram.apps[4].ports.map(\.kind), [.receiver, .sender])
        XCTAssertEqual(diagram.apps[7].ports.map(\.kind), [.capture, .playback])
        XCTAssertEqual(diagram.apps[8].ports.map(\.uniqueName), ["speakers"])
        XCTAssertEqual(Set(diagram.ports.map(\.key)).count, diagram.ports.count)
    }

    func testAPortHasItsSourcesWithLanesLevelsAndLatencies() throws {
        let mixer = try port("Mixer.in")
        XCTAssertEqual(mixer.lanes?.used, 2)
        XCTAssertEqual(mixer.lanes?.all, 4)
        XCTAssertEqual(mixer.latencySpread, 30)
        XCTAssertEqual(mixer.feeds.map(\.uniqueName), ["Drums.out", "Dub.dub"])
        XCTAssertEqual(mixer.feeds.map(\.lanes), [[1], [2]])
        XCTAssertEqual(mixer.feeds.map(\.latency), [0, 30])
        XCTAssertEqual(mixer.feeds.map(\.level?.isMuted), [true, false])
        XCTAssertEqual(mixer.feeds.map(\.isSilent), [true, false])
        XCTAssertEqual(mixer.feeds.map(\.isInLoop), [.no, .no])
        XCTAssertEqual(try port("Mixer.mix").follows, mixer.key)
        XCTAssertTrue(try port("Dub.dub").isBypassed)
        XCTAssertTrue(try port("Bass.out").isLive)
        XCTAssertEqual(try port("Dub.dub").feeds.map(\.isInLoop), [.yes])
        XCTAssertEqual(try port("Echo.echo").feeds.map(\.isInLoop), [.no, .yes])
        XCTAssertEqual(try port("speakers", .playback).feeds.map(\.source), [try port("Mixer.mix").key])
        XCTAssertEqual(try port("Tape.in").feeds.first?.source, try port("speakers", .monitor).key)
    }

    /// The filter leaves a source out, and not its lane, nor the age of its sound.
    func testTheFiguresOfAPortAreItsOwnBehindAFilterByName() throws {
        let diagram = DiagramFixture.everything.diagram("drums")
        let mixer = try XCTUnwrap(diagram.ports.first { $0.uniqueName == "Mixer.in" })
        XCTAssertEqual(mixer.feeds.map(\.uniqueName), ["Drums.out"])
        XCTAssertEqual(mixer.hidden.sources, 1)
        XCTAssertEqual(mixer.lanes?.used, 2)
        XCTAssertEqual(mixer.lanes?.all, 4)
        XCTAssertEqual(mixer.latencySpread, 30)
    }

    func testWhileOthersAreSoloedASourceIsSilent() throws {
        var fixture = DiagramFixture.everything
        for (level, isSilent) in [
            (Source.Level(), true), (Source.Level(volume: 1, isSoloed: true), false),
            (Source.Level(volume: 1, isMuted: true, isSoloed: true), true),
        ] {
            fixture.facts.levels = [
                fixture.id("Mixer.in"): .success([
                    fixture.id("Drums.out"): level, fixture.id("Dub.dub"): Source.Level(volume: 1, isSoloed: true),
                ])
            ]
            let mixer = try XCTUnwrap(fixture.diagram().ports.first { $0.uniqueName == "Mixer.in" })
            XCTAssertEqual(mixer.feeds.map(\.isSilent), [isSilent, false])
        }
    }

    func testThePipelinesHaveTheirLatencies() {
        let lines = diagram.pipelines.map { pipeline in
            pipeline.ports.map(\.uniqueName).joined(separator: " ")
                + (pipeline.latency.map { " \(Int($0))" } ?? "") + (pipeline.isContinuous == .unknown ? " ?" : "")
        }
        XCTAssertEqual(
            Set(lines),
            [
                "Drums.out Mixer.in 0", "Bass.out Echo.echo Dub.dub Mixer.in 30", "Mixer.mix speakers",
                "speakers Tape.in", "mic jack Tape.in ?",
            ])
    }

    func testAFilterShowsWhatIsConnectedWithAName() throws {
        let fixture = DiagramFixture.everything
        for (name, expected) in [
            ("drum machine", ["Drums.out", "Mixer.in", "Mixer.mix", "Tape.in", "speakers"]),
            ("MICRO", ["mic", "jack", "Tape.in"]),
            // Through a mixer, in both directions.
            (
                "org.example.Mixer",
                ["Bass.out", "Drums.out", "Dub.dub", "Echo.echo", "Mixer.in", "Mixer.mix", "Tape.in", "speakers"]
            ),
            ("nothing", []),
        ] {
            let diagram = fixture.diagram(name)
            XCTAssertEqual(Set(diagram.ports.map(\.uniqueName)), Set(expected), name)
        }
        let mixer = try XCTUnwrap(fixture.diagram("drums").ports.first { $0.uniqueName == "Mixer.in" })
        XCTAssertEqual(mixer.feeds.map(\.uniqueName), ["Drums.out"])
        XCTAssertEqual(mixer.hidden.sources, 1)
    }

    func testWithoutAPaceThereAreNoTimes() {
        var fixture = DiagramFixture.everything
        fixture.facts.pace = nil
        XCTAssertEqual(fixture.diagram().ports.compactMap(\.latency), [])
    }

    func testTheReasonForMissingLevelsIsShown() throws {
        var fixture = DiagramFixture.everything
        fixture.facts.levels[fixture.id("Mixer.in")] = .failure(PipeBusError(.unknownPort, "It does not answer."))
        let diagram = fixture.diagram()
        let mixer = try XCTUnwrap(diagram.ports.first { $0.uniqueName == "Mixer.in" })
        XCTAssertEqual(mixer.problem, "It does not answer.")
        XCTAssertTrue(GraphTree(diagram).text.contains("It does not answer."))
    }

    func testAnAppWhoseNameNobodySeesIsUnnamed() {
        for name in ["\u{200B}", "\u{2060}\u{AD}", "\u{2800}", "\u{3164} \u{FE0F}"] {
            var fixture = DiagramFixture()
            fixture.add("out", of: name, .sender, outputs: 1)
            XCTAssertEqual(fixture.diagram().apps.map(\.name), ["unnamed"])
            XCTAssertTrue(GraphListing(fixture.snapshot, levels: [:]).text(hasColours: false).hasPrefix("unnamed"))
        }
        var fixture = DiagramFixture()
        fixture.add("out", of: "\u{200B}é", .sender, outputs: 1)
        XCTAssertNotEqual(fixture.diagram().apps.map(\.name), ["unnamed"])
    }
}
