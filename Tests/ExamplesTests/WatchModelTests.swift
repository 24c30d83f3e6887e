// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// What keys do to the screen, and what they ask for.
final class WatchModelTests: XCTestCase {
    private let fixture = WatchFixture()

    private func name(of row: WatchRow?) -> String { row?.name.text(hasColour: false) ?? "none" }

    private func selected(_ model: WatchModel) -> String {
        name(of: model.selected(in: WatchRows(fixture.data, filter: model.filter).rows(of: model.view)))
    }

    /// Selects a row of the table of ports.
    private func model(selecting text: String, under port: String? = nil) throws -> WatchModel {
        var model = WatchModel()
        model.view = .ports
        let rows = WatchRows(fixture.data).rows(of: .ports)
        let first = try port.map { port in
            try XCTUnwrap(rows.firstIndex { name(of: $0).hasSuffix(port) && $0.isSelectable })
        }
        let place = rows.indices.first {
            $0 > first ?? -1 && rows[$0].isSelectable && name(of: rows[$0]).hasSuffix(text)
        }
        model.select(try XCTUnwrap(place), in: rows)
        return model
    }

    func testTheSelectionSkipsHeadingsAndStaysWithinTheTable() {
        var model = WatchModel()
        fixture.press(.tab, on: &model)
        XCTAssertEqual(selected(model), "  ▶ Bass.out")
        fixture.press(.up, on: &model)
        XCTAssertEqual(selected(model), "  ▶ Bass.out")
        fixture.press(.down, .character("j"), on: &model)
        XCTAssertEqual(selected(model), "  ◆ Dub.dub")
        fixture.press(.character("k"), on: &model)
        XCTAssertEqual(selected(model), "  ▶ Drums.out")
        fixture.press(.end, .down, on: &model)
        XCTAssertEqual(selected(model), "  ◌ speakers")
        fixture.press(.pageUp, on: &model)
        XCTAssertNotEqual(selected(model), "  ◌ speakers")
        fixture.press(.home, on: &model)
        XCTAssertEqual(selected(model), "  ▶ Bass.out")
    }

    /// What comes and goes above a row moves it, and not the selection.
    func testTheSelectionStaysWithItsRow() throws {
        var model = try model(selecting: "Drums.out")
        var graph = DiagramFixture.everything
        graph.add("AAA.out", of: "AAA", .sender, outputs: 1)
        let grown = WatchFixture(graph)
        var rows = WatchRows(grown.data).rows(of: .ports)
        XCTAssertEqual(name(of: model.selected(in: rows)), "  ▶ Drums.out")
        model.scroll(in: rows, height: 4)
        // When it is gone, its place counts.
        rows.removeAll { name(of: $0).hasSuffix("Drums.out") && $0.isSelectable }
        XCTAssertTrue(["  ▶ Bass.out", "  ◆ Dub.dub"].contains(name(of: model.selected(in: rows))))
        XCTAssertNil(model.selected(in: []))
        XCTAssertNil(model.press(.down, in: WatchFixture(DiagramFixture()).data))
    }

    func testLevelsAreThoseOfTheConnection() throws {
        let edge = fixture.edge("Drums.out", "Mixer.in")
        var model = try model(selecting: "Drums.out", under: "Mixer.in")
        let requests = fixture.press(
            .character("m"), .character("s"), .character("+"), .character("-"), .character("0"), .character("<"),
            on: &model)
        XCTAssertEqual(
            requests,
            [
                .level(.toggleMute, edge), .level(.toggleSolo, edge), .level(.volumeStep(1), edge),
                .level(.volumeStep(-1), edge), .level(.fullVolume, edge), .level(.panStep(-10), edge),
            ])
        // A sender that goes to one port means the same.
        model = try self.model(selecting: "▶ Drums.out")
        XCTAssertEqual(fixture.press(.character("m"), on: &model), [.level(.toggleMute, edge)])
        // A filter that goes to two ports means neither.
        model = try self.model(selecting: "◆ Dub.dub")
        XCTAssertEqual(fixture.press(.character("m"), on: &model), [])
        XCTAssertEqual(model.answer?.text, "It goes to several ports; select it below one of them.")
        // A pipeline means its last connection.
        model = WatchModel(filter: "drums")
        XCTAssertEqual(fixture.press(.character("m"), on: &model), [.level(.toggleMute, edge)])
    }

    func testStepsOfTheVolume() {
        func decibels(_ volume: Double, _ change: WatchRequest.Level) -> Double? {
            guard case .volume(let new) = change.change(of: Source.Level(volume: volume)) else { return nil }
            return new > 0 ? (20 * log10(new) * 1e6).rounded() / 1e6 : -.infinity
        }
        XCTAssertEqual(decibels(1, .volumeStep(1)), 0)
        XCTAssertEqual(decibels(1, .volumeStep(-1)), -1)
        // From -6.02 dB to whole numbers.
        XCTAssertEqual(decibels(0.5, .volumeStep(1)), -5)
        XCTAssertEqual(decibels(0.5, .volumeStep(-2)), -8)
        XCTAssertEqual(decibels(0.001, .volumeStep(-1)), -.infinity)
        XCTAssertEqual(decibels(0, .volumeStep(-1)), -.infinity)
        XCTAssertEqual(decibels(0, .volumeStep(1)), -60)
        XCTAssertEqual(decibels(0, .fullVolume), 0)
        XCTAssertEqual(
            WatchRequest.Level.panStep(-10).change(of: Source.Level(volume: 1, pan: -0.94)), .pan(-1))
        XCTAssertEqual(WatchRequest.Level.volumeStep(1).adding(.volumeStep(2)), .volumeStep(3))
        XCTAssertNil(WatchRequest.Level.toggleMute.adding(.toggleMute))
    }

    func testConnecting() throws {
        // In the table of ports the selected one is the source. Only what fits is offered: the mixer has it already.
        var model = try model(selecting: "▶ Drums.out")
        fixture.press(.character("c"), on: &model)
        guard case .choosing(let chooser) = model.mode else { return XCTFail("no question") }
        XCTAssertEqual(chooser.title, "Connect Drums.out to which port?")
        XCTAssertEqual(chooser.shown.map(\.label), ["Dub.dub", "Echo.echo", "jack", "Tape.in", "speakers"])
        fixture.type("TAP", on: &model)
        XCTAssertEqual(
            fixture.press(.enter, on: &model), [.connect(fixture.edge("Drums.out", "Tape.in"))])
        guard case .browsing = model.mode else { return XCTFail("still a question") }

        // In that of pipelines the source is chosen first, and its first port is proposed.
        model = WatchModel(filter: "bass")
        fixture.press(.character("c"), on: &model)
        guard case .choosing(let sources) = model.mode else { return XCTFail("no question") }
        XCTAssertEqual(sources.chosen?.label, "Bass.out")
        fixture.press(.enter, on: &model)
        guard case .choosing(let destinations) = model.mode else { return XCTFail("no second question") }
        XCTAssertEqual(destinations.title, "Connect Bass.out to which port?")
        XCTAssertEqual(fixture.press(.escape, .enter, on: &model), [])
        fixture.press(.character("c"), on: &model)
        fixture.type("nobody", on: &model)
        XCTAssertEqual(fixture.press(.enter, on: &model), [], "nothing is chosen")
    }

    /// `connect` refuses an app its own sound, which may come through others.
    func testConnectingOffersNoAppItsOwnSound() throws {
        var graph = DiagramFixture()
        graph.add("Desk.mix", of: "Desk", .sender, outputs: 1)
        graph.add("Desk.in", of: "Desk", .receiver, inputs: 2, width: 1)
        graph.add("Free.mix", of: "Free", .sender, outputs: 1, extra: ["pipebus.self.allowed": "true"])
        graph.add("Free.in", of: "Free", .receiver, inputs: 2, width: 1, extra: ["pipebus.self.allowed": "true"])
        graph.add("Echo.fx", of: "Echo", .filter, inputs: 1, outputs: 1)
        graph.connect("Desk.mix", "Echo.fx")
        let choices = ConnectChoices(WatchFixture(graph).data)
        for (source, offered) in [
            ("Desk.mix", ["Free.in"]), ("Echo.fx", ["Free.in"]), ("Free.mix", ["Desk.in", "Echo.fx", "Free.in"]),
        ] {
            let chooser = try XCTUnwrap(choices.destinations(of: graph.id(source)))
            XCTAssertEqual(chooser.shown.map(\.label), offered, source)
        }
    }

    func testDisconnectingAsks() throws {
        let edge = fixture.edge("Drums.out", "Mixer.in")
        var model = try model(selecting: "Drums.out", under: "Mixer.in")
        XCTAssertEqual(fixture.press(.character("d"), .character("x"), on: &model), [])
        guard case .confirming(edge, let question) = model.mode else { return XCTFail("no question") }
        XCTAssertEqual(question, "Disconnect Drums.out from Mixer.in? y/n")
        XCTAssertEqual(fixture.press(.character("n"), .character("y"), on: &model), [])
        XCTAssertEqual(fixture.press(.character("d"), .character("y"), on: &model), [.disconnect(edge)])
        // Of several connections one is chosen, the last first.
        model = try self.model(selecting: "◆ Dub.dub")
        fixture.press(.character("d"), on: &model)
        guard case .choosing(let chooser) = model.mode else { return XCTFail("no list") }
        XCTAssertEqual(chooser.shown.map(\.label), ["Dub.dub → Echo.echo", "Dub.dub → Mixer.in"])
        XCTAssertEqual(
            fixture.press(.enter, .character("y"), on: &model), [.disconnect(fixture.edge("Dub.dub", "Mixer.in"))])
    }

    func testBypassing() throws {
        var model = try model(selecting: "◆ Echo.echo")
        XCTAssertEqual(fixture.press(.character("b"), on: &model), [.toggleBypass(fixture.id("Echo.echo"))])
        // One that was not made with PipeBus cannot be.
        model = try self.model(selecting: "◆ jack")
        XCTAssertEqual(fixture.press(.character("b"), on: &model), [])
        XCTAssertEqual(model.answer?.text, "There is no filter made with PipeBus to bypass; select one.")
        model = WatchModel(filter: "bass")
        fixture.press(.character("b"), .down, on: &model)
        XCTAssertEqual(fixture.press(.enter, on: &model), [.toggleBypass(fixture.id("Echo.echo"))])
    }

    func testFiltering() {
        var model = WatchModel()
        fixture.press(.character("/"), on: &model)
        fixture.type("drq", on: &model)
        fixture.press(.backspace, on: &model)
        XCTAssertEqual(model.filter, "dr", "a letter is no key meanwhile")
        fixture.press(.enter, .character("/"), on: &model)
        fixture.type("x", on: &model)
        fixture.press(.escape, on: &model)
        XCTAssertEqual(model.filter, "dr")
        fixture.press(.escape, on: &model)
        XCTAssertEqual(model.filter, "")
        // An endless one is bounded.
        fixture.press(.character("/"), on: &model)
        fixture.type(String(repeating: "x", count: 1000), on: &model)
        XCTAssertEqual(model.filter.count, 100)
    }

    func testTheRest() {
        var model = WatchModel()
        XCTAssertEqual(fixture.press(.suspend, .repaint, .character("q"), on: &model), [.suspend, .repaint, .quit])
        fixture.press(.character("Z"), on: &model)
        XCTAssertEqual(model.answer?.text, "Z is no key here; ? shows all of them.")
        fixture.press(.character("?"), on: &model)
        XCTAssertNil(model.answer)
        XCTAssertEqual(fixture.press(.character("q"), on: &model), [], "it leaves the help")
        guard case .browsing = model.mode else { return XCTFail("still help") }
    }
}
