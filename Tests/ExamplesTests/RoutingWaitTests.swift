// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// For whom a routing waits.
final class RoutingWaitTests: XCTestCase {
    private func preset(_ ends: [(String, String)]) throws -> RoutingPreset {
        let lines = ends.map { "{\"from\": {\"node\": \"\($0.0)\"}, \"to\": {\"node\": \"\($0.1)\"}}" }
        return try RoutingPreset(
            json:
                "{\"format\": \"pipebus-routing\", \"version\": 1, \"connections\": [\(lines.joined(separator: ","))]}")
    }

    func testEachMissingPortIsNamedOnce() throws {
        var fixture = DiagramFixture()
        fixture.add("Pad.out", of: "Pad", .sender, outputs: 1)
        var plan = RoutingPlan(
            try preset([("Voice 10.out", "Mix.in"), ("Voice 2.out", "Mix.in"), ("Pad.out", "Mix.in")]))
        XCTAssertNil(RoutingWait.missing(in: plan.status), "it has not seen the graph")
        _ = plan.update(to: fixture.snapshot, at: .now)
        let all = try XCTUnwrap(RoutingWait.missing(in: plan.status))
        XCTAssertEqual(all, "Mix.in, Voice 2.out and Voice 10.out")
        // One connection is being made meanwhile.
        fixture.add("Mix.in", of: "Mix", .receiver, inputs: 4, width: 1)
        _ = plan.update(to: fixture.snapshot, at: .now)
        XCTAssertFalse(plan.status.isSettled)
        XCTAssertEqual(RoutingWait.missing(in: plan.status), "Voice 2.out and Voice 10.out")
    }

    func testNobodyIsMissing() throws {
        var fixture = DiagramFixture()
        fixture.add("Pad.out", of: "Pad", .sender, outputs: 1)
        fixture.add("Mix.in", of: "Mix", .receiver, inputs: 4, width: 1)
        var plan = RoutingPlan(try preset([("Pad.out", "Mix.in")]))
        _ = plan.update(to: fixture.snapshot, at: .now)
        XCTAssertNil(RoutingWait.missing(in: plan.status))
    }

    /// A person reads of each app once, however many connections wait for it.
    func testEachMissingAppIsNamedOnce() throws {
        func end(_ app: String, _ node: String) -> String { "{\"app\": \"\(app)\", \"node\": \"\(node)\"}" }
        let ends = [
            (end("org.example.mix", "Mix.in"), "{\"app\": \"Firefox\"}"),
            (end("Pad", "Pad.out"), end("org.example.mix", "Mix.in")),
            (end("org.example.mix", "Mix.out"), end("org.example.echo", "Echo.fx")),
            ("{\"node\": \"synth*\"}", end("org.example.echo", "Echo.fx")),
        ]
        let lines = ends.map { "{\"from\": \($0.0), \"to\": \($0.1)}" }.joined(separator: ",")
        let preset = try RoutingPreset(
            json: "{\"format\": \"pipebus-routing\", \"version\": 1, \"connections\": [\(lines)]}")
        var fixture = DiagramFixture()
        fixture.add("Pad.out", of: "Pad", .sender, outputs: 1)
        var plan = RoutingPlan(preset)
        _ = plan.update(to: fixture.snapshot, at: .now)
        XCTAssertEqual(
            MissingApp.all(in: plan.status, of: preset).map(\.sentence),
            [
                "synth*: missing, for 1 connection",
                "any port of Firefox: missing, for 1 connection",
                "Echo.fx of org.example.echo: missing, for 2 connections",
                "Mix.in and Mix.out of org.example.mix: missing, for 3 connections",
            ])
    }

    func testALongListIsBounded() throws {
        var plan = RoutingPlan(try preset((1...20).map { ("Voice \($0).out", "Mix.in") }))
        _ = plan.update(to: DiagramFixture().snapshot, at: .now)
        let text = try XCTUnwrap(RoutingWait.missing(in: plan.status))
        XCTAssertTrue(text.hasPrefix("Mix.in, Voice 1.out, Voice 2.out,"), text)
        XCTAssertTrue(text.hasSuffix(" and 15 more"), text)
    }
}
