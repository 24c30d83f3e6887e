// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

@testable import PipeBus

final class RememberedStallsTests: XCTestCase {
    private let tone = ConnectionDeclaration.End.other(applicationID: "org.example.tone", nodeName: "Tone.out")

    private func stalls() -> RememberedStalls {
        let stalls = RememberedStalls()
        stalls.begin(at: "in", tone, serial: 7, [:])
        stalls.begin(at: "desk", tone, serial: 7, [:])
        stalls.begin(at: "in", .other(applicationID: nil, nodeName: "Amp.out"), serial: 9, [:])
        return stalls
    }

    func testEachIsThereOnce() {
        let stalls = stalls()
        let summary = LaneTable.LinkSummary(sources: [7], outputCount: 1, channels: [0])
        stalls.begin(at: "in", tone, serial: 7, [2: summary])
        XCTAssertEqual(stalls.all.count, 3)
        XCTAssertEqual(stalls.stall(of: 7, at: "in")?.linkSummaries, [2: summary])
        XCTAssertEqual(stalls.stall(of: 7, at: "desk")?.linkSummaries, [:])
        XCTAssertNil(stalls.stall(of: 9, at: "desk"))
    }

    func testTheyEnd() {
        let stalls = stalls()
        stalls.end(7, at: "in")
        stalls.end(7, at: "in")
        XCTAssertEqual(stalls.all.map(\.port), ["desk", "in"])
        stalls.end(at: "in")
        XCTAssertEqual(stalls.all.map(\.port), ["desk"])
        stalls.end(stalls.all[0])
        XCTAssertTrue(stalls.isEmpty)
    }

    func testTheyOutliveTheSessionWithoutTheirSerials() {
        let stalls = stalls()
        stalls.endSession()
        XCTAssertEqual(stalls.all.map(\.serial), [nil, nil, nil])
        XCTAssertNil(stalls.stall(of: 7, at: "in"))
        XCTAssertTrue(stalls.all[0].isSameSource(stalls.all[1]))
        XCTAssertFalse(stalls.all[0].isSameSource(stalls.all[2]))
        // A node of the same serial in the next session is another one.
        stalls.begin(at: "in", tone, serial: 7, [:])
        XCTAssertEqual(stalls.all.count, 4)
        XCTAssertFalse(stalls.all[0].isSameSource(stalls.all[3]))
    }

    func testTheyOutliveTheSourcesNode() {
        let stalls = stalls()
        XCTAssertEqual(stalls.nodeDisappeared(7).map(\.port), ["in", "desk"])
        XCTAssertEqual(stalls.all.map(\.serial), [nil, nil, 9])
        XCTAssertEqual(stalls.nodeDisappeared(7), [])
    }

    func testAConnectionIsThatOfItsEnds() {
        let stall = stalls().all[0]
        let unknown = ConnectionDeclaration.End.other(applicationID: nil, nodeName: "Tone.out")
        XCTAssertTrue(stall.concerns(ConnectionDeclaration(source: tone, destination: .own("in"))))
        XCTAssertTrue(stall.concerns(ConnectionDeclaration(source: unknown, destination: .own("in"))))
        XCTAssertFalse(stall.concerns(ConnectionDeclaration(source: tone, destination: .own("desk"))))
        XCTAssertFalse(stall.concerns(ConnectionDeclaration(source: .own("Tone.out"), destination: .own("in"))))
        XCTAssertFalse(stall.concerns(ConnectionDeclaration(source: .own("in"), destination: tone)))
    }
}
