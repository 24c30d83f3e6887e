// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport
import XCTest

@testable import PipeBusCommand

/// The screen of `watch` to the character.
final class WatchRendererTests: XCTestCase {
    private func fixture() -> WatchFixture {
        var fixture = WatchFixture()
        fixture.data.load = 0.253
        fixture.data.xruns = 3
        fixture.data.culprit = "Bass out"
        fixture.data.meters = [
            fixture.id("Drums.out"): WatchMeter(level: 0.5, heldPeak: 0.501187),
            fixture.id("Dub.dub"): WatchMeter(level: 1.2, heldPeak: 1.2, isOver: true),
        ]
        fixture.data.figures = [
            fixture.id("Drums.out"): .init(load: 0.012, xruns: 0, isStalled: false),
            fixture.id("Bass.out"): .init(load: 0.9, xruns: 3, isStalled: true),
        ]
        return fixture
    }

    private func assertShows(
        _ model: WatchModel, columns: Int, rows: Int, isUnicode: Bool = true, _ expected: String,
        file: StaticString = #filePath, line: UInt = #line
    ) {
        let screen = fixture().screen(model, columns: columns, rows: rows, isUnicode: isUnicode)
        XCTAssertEqual(screen.count, rows, file: file, line: line)
        XCTAssertEqual(screen.joined(separator: "\n"), expected, file: file, line: line)
    }

    private var ports: WatchModel {
        var model = WatchModel()
        model.view = .ports
        return model
    }

    func testPipelines() {
        assertShows(
            WatchModel(), columns: 106, rows: 16,
            """
            PipeBus  48000 Hz  1024 frames  21.3 ms  Dummy                              load 25%  xruns 3  by Bass out

            Pipelines 5   Ports 11
              PIPELINE                      METER               PEAK   VOLUME  PAN  LATENCY
            ▌ Bass → Echo → Dub → Mixer.in  ━━━━━━━━━━━━━━━━     1.6   0.0 dB  R30  30.0 ms  solo, Dub bypassed…
              Drums → Mixer.in              ━━━━━━━━━━━━━━╸─    -6.0  -6.0 dB  L50   0.0 ms  muted
              Microphone → Rack → Tape      –                                                perhaps interrupted
              Mixer.mix → Speakers          –
              Speakers → Tape               –






            ↑↓ select  c connect  d disconnect  + - volume  m mute  Tab ports  / filter  s solo  ? help  q quit
            """)
    }

    func testPorts() {
        assertShows(
            ports, columns: 110, rows: 36,
            """
            PipeBus  48000 Hz  1024 frames  21.3 ms  Dummy                                  load 25%  xruns 3  by Bass out

            Pipelines 5   Ports 11
              PORT                      METER               PEAK   VOLUME  PAN  LATENCY   LOAD  XRUNS
              Bass  org.example.Bass
            ▌   ▶ Bass.out              –                                       10.0 ms    90%      3  does not answer
              Drums  org.example.Drums
                ▶ Drums.out             ━━━━━━━━━━━━━━╸─    -6.0                 0.0 ms   1.2%      0  “Drum machine”
              Dub  org.example.Dub
                ◆ Dub.dub               ━━━━━━━━━━━━━━━━     1.6                30.0 ms                bypassed
                  └─ Echo.echo          –                                       20.0 ms
              Echo  org.example.Echo
                ◆ Echo.echo             –                                       20.0 ms
                  ├─ Bass.out           –                                       10.0 ms
                  └─ Dub.dub            ━━━━━━━━━━━━━━━━     1.6                30.0 ms
              Mixer  org.example.Mixer
                ■ Mixer.in
                  ├─ Drums.out          ━━━━━━━━━━━━━━╸─    -6.0  -6.0 dB  L50   0.0 ms                muted
                  └─ Dub.dub            ━━━━━━━━━━━━━━━━     1.6   0.0 dB  R30  30.0 ms                solo
                ▶ Mixer.mix             –
              Rack  org.example.Rack
                ◆ jack                  –
                  └─ mic                –
              Tape  org.example.Tape
                ■ Tape.in
                  ├─ speakers           –
                  └─ jack               –
              Devices
                ○ mic                   –                                                              “Microphone”
                ● speakers                                                                             “Speakers”
                  └─ Mixer.mix          –
              Monitors of devices
                ◌ speakers              –                                                              “Speakers”


            ↑↓ select  c connect  d disconnect  + - volume  m mute  Tab pipelines  / filter  s solo  ? help  q quit
            """)
    }

    /// Figures are left out for names to fit, and rows are scrolled.
    func testSmallerTerminals() {
        let small = """
            PipeBus  48000 Hz             load 25%  xruns 3  by Bass out

            Pipelines 5   Ports 11
              PORT                  METER        VOLUME
              Bass  org.example.Bass
            ▌   ▶ Bass.out          –                    does not answer
              Drums  org.example.Drums
                ▶ Drums.out         ━━━━━━━━━─           “Drum machine”
              Dub  org.example.Dub
                ◆ Dub.dub           ━━━━━━━━━━           bypassed
                  └─ Echo.echo      –
              Echo  org.example.Echo
                ◆ Echo.echo         –
                  ├─ Bass.out       –
                  └─ Dub.dub        ━━━━━━━━━━
              Mixer  org.example.Mixer
                ■ Mixer.in


            ↑↓ select  c connect  d disconnect  ? help  q quit
            """
        assertShows(ports, columns: 60, rows: 20, small)
        assertShows(
            ports, columns: 20, rows: 5,
            """
            load 25%  xruns 3
              Bass  org.example…
            ▌   ▶ Bas…  does no…
              Drums  org.exampl…
            ? help  q quit
            """)
    }

    /// Figures go before a name has less than 24 columns.
    func testANarrowTerminalLeavesOutFiguresBeforeItCutsNames() {
        var graph = DiagramFixture()
        graph.add("Mixer.mix", of: "Mixer", .sender, outputs: 2)
        graph.add("Mixer.in", of: "Mixer", .receiver, inputs: 4, width: 2)
        graph.add("Recorder.in", of: "Recorder", .receiver, inputs: 4, width: 2)
        graph.connect("Mixer.mix", "Recorder.in")
        graph.facts.levels = [
            graph.id("Recorder.in"): .success([graph.id("Mixer.mix"): Source.Level(volume: 0.0001)])
        ]
        let fixture = WatchFixture(graph)
        for columns in 24...120 {
            let screen = fixture.screen(WatchModel(), columns: columns, rows: 12)
            XCTAssertTrue(screen.contains { $0.contains(" Mixer.mix → Recorder") }, "\(columns): \(screen)")
        }
    }

    /// What keeps a source from being heard stands before figures and before the xruns of a bad minute.
    func testANarrowTerminalShowsWhatIsMutedSoloedOrHangs() {
        var fixture = fixture()
        let bad = WatchData.Figures(load: 12, xruns: 123_456, isStalled: false)
        for port in fixture.data.diagram.ports {
            if let id = fixture.data.id(ofKey: port.key) { fixture.data.figures[id] = bad }
        }
        fixture.data.figures[fixture.id("Bass.out")]?.isStalled = true
        for columns in 40...100 {
            let pipelines = fixture.screen(WatchModel(), columns: columns, rows: 30)
            XCTAssertTrue(pipelines.contains { $0.contains(" Drums") && $0.contains("muted") }, "\(columns)")
            XCTAssertTrue(pipelines.contains { $0.contains("Bass") && $0.contains("solo") }, "\(columns)")
            let table = fixture.screen(ports, columns: columns, rows: 60)
            XCTAssertTrue(table.contains { $0.contains("─ Drum") && $0.contains("muted") }, "\(columns)")
            XCTAssertTrue(table.contains { $0.contains("─ Dub.") && $0.contains("solo") }, "\(columns)")
            XCTAssertTrue(table.contains { $0.contains("▶ Bass") && $0.contains("does not answer") }, "\(columns)")
        }
        let screen = fixture.screen(WatchModel(), columns: 50, rows: 9)
        XCTAssertEqual(
            screen.joined(separator: "\n"),
            """
            PipeBus  48000 Hz  1024 frames   load 25%  xruns 3
            Pipelines 5   Ports 11
            ▌ Bass → Echo → Dub → Mix…  ━━━━━━   0.0 dB  solo…
              Drums → Mixer.in          ━━━━━╸  -6.0 dB  muted
              Microphone → Rack → Tape  –                …
              Mixer.mix → Speakers      –                …
              Speakers → Tape           –                …

            ↑↓ select  c connect  d disconnect  ? help  q quit
            """)
    }

    func testWithASCIIAlone() {
        assertShows(
            ports, columns: 60, rows: 20, isUnicode: false,
            """
            PipeBus  48000 Hz             load 25%  xruns 3  by Bass out

            Pipelines 5   Ports 11
              PORT                  METER        VOLUME
              Bass  org.example.Bass
            >   > Bass.out          -                    does not answer
              Drums  org.example.Drums
                > Drums.out         =========.           "Drum machine"
              Dub  org.example.Dub
                * Dub.dub           ==========           bypassed
                  `- Echo.echo      -
              Echo  org.example.Echo
                * Echo.echo         -
                  |- Bass.out       -
                  `- Dub.dub        ==========
              Mixer  org.example.Mixer
                # Mixer.in


            j k select  c connect  d disconnect  ? help  q quit
            """)
    }

    func testNoLineIsLongerThanAnyTerminal() {
        var models = [
            WatchModel(), ports, WatchModel(filter: "nobody"), WatchModel(filter: String(repeating: "音", count: 100)),
        ]
        let fixture = fixture()
        for keys in ["c", "?", "/", "x", "d"] {
            var model = ports
            fixture.type(keys, on: &model)
            models.append(model)
        }
        for model in models {
            for columns in [2, 3, 5, 9, 20, 31, 40, 59, 80, 99, 300] {
                for rows in [1, 2, 3, 5, 8, 10, 14, 24, 100] {
                    let lines = fixture.renderer(model, columns: columns, rows: rows).lines
                    XCTAssertEqual(lines.count, rows, "\(columns) × \(rows)")
                    XCTAssertTrue(lines.allSatisfy { $0.columns <= columns }, "\(columns) × \(rows)")
                }
            }
        }
    }

    /// Wide letters keep the columns where they are, and what a terminal would act on is replaced.
    func testNamesOfAllKinds() throws {
        var graph = DiagramFixture()
        for (number, title) in ["音楽 🎻", "e\u{301}tude", "a\u{1B}[2J\u{202E}b\nc", String(repeating: "x", count: 400)]
            .enumerated()
        {
            graph.add("s\(number)", of: "app \(title)", .sender, title: title, outputs: 1)
            graph.add("r\(number)", of: "tape \(title)", .receiver, inputs: 1, width: 1)
            graph.connect("s\(number)", "r\(number)")
        }
        var fixture = WatchFixture(graph)
        for number in 0..<4 {
            fixture.data.meters[fixture.id("s\(number)")] = WatchMeter(level: 0.1, heldPeak: 0.1)
        }
        for view in WatchView.allCases {
            var model = WatchModel()
            model.view = view
            let lines = fixture.renderer(model, columns: 120, rows: 40).lines.map { $0.text(hasColour: false) }
            let places = lines.filter { $0.contains("-20.0") }.map { line in
                TextColumns.count(line[..<(line.range(of: "-20.0")?.lowerBound ?? line.startIndex)])
            }
            XCTAssertEqual(places.count, view == .pipelines ? 4 : 8)
            XCTAssertEqual(Set(places).count, 1, lines.joined(separator: "\n"))
            for scalar in lines.joined().unicodeScalars {
                XCTAssertNotEqual(scalar.properties.generalCategory, .control)
                XCTAssertFalse(scalar.properties.isBidiControl)
            }
        }
    }

    func testColourIsOnlyWhereItIsWanted() throws {
        let line = try XCTUnwrap(fixture().renderer(WatchModel(), columns: 80, rows: 16).lines.first)
        XCTAssertTrue(line.text(hasColour: true).hasPrefix("\u{1B}[1mPipeBus\u{1B}[0m"))
        XCTAssertFalse(line.text(hasColour: false).contains("\u{1B}"))
    }

    func testWhatIsMeasuredIsOnTheScreen() {
        let fixture = fixture()
        let sources = fixture.renderer(ports, columns: 80, rows: 12).visibleSources
        XCTAssertEqual(sources, ["Bass.out", "Drums.out", "Dub.dub", "Echo.echo"].map(fixture.id))
        XCTAssertEqual(fixture.renderer(ports, columns: 80, rows: 40).visibleSources.count, 8)
    }

    func testWithoutADaemonThereIsTheReason() {
        var fixture = fixture()
        fixture.data.interruption = "The daemon has ended. Waiting for it …"
        let screen = fixture.screen(WatchModel(), columns: 40, rows: 10)
        XCTAssertEqual(
            screen.filter { !$0.isEmpty }.prefix(3),
            ["PipeBus", "Pipelines 5   Ports 11", "  The daemon has ended. Waiting for it"])
    }
}
