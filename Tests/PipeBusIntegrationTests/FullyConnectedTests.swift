// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A port knows whether all of its outputs have a link.
final class FullyConnectedTests: BusTestCase {
    func testASenderKnowsWhenItsLastChannelIsLinked() async throws {
        let stage = try await Stage.start()
        let block = Box<Bool?>(nil)
        let out = try await stage.givers.sender("out", state: ()) { _, cycle, _ in
            block.value = cycle.isFullyConnected
        }
        _ = try await stage.taker.receiver("in", state: ()) { _, cycle, _ in
            if cycle.isFullyConnected { XCTFail("a receiver has no outputs") }
        }
        try await check(stage, out: "Givers.out", isFullyConnected: { out.isFullyConnected }, block)
        try await stage.close()
    }

    func testAFilterKnowsItOfItsOutputs() async throws {
        let stage = try await Stage.start()
        let block = Box<Bool?>(nil)
        let source = try await stage.givers.sender("source", channels: .mono, state: ()) { _, _, _ in }
        let filter = try await stage.givers.filter("fx", inputs: .mono, outputs: .stereo, state: ()) {
            _, cycle, _, _ in block.value = cycle.isFullyConnected
        }
        _ = try await stage.taker.receiver("in", state: ()) { _, _, _ in }
        try await stage.givers.connect(source, to: filter)
        XCTAssertFalse(filter.isFullyConnected, "only its input is linked")
        try await check(stage, out: "Givers.fx", isFullyConnected: { filter.isFullyConnected }, block)
        try await stage.close()
    }

    /// Links a stereo output one by one and takes the links away again.
    private func check(
        _ stage: Stage, out: String, isFullyConnected: () -> Bool, _ block: Box<Bool?>
    ) async throws {
        let steps: [(arguments: [String], isFull: Bool)] = [
            (["\(out):output_FL", "Taker.in:input_1_FL"], false),
            // A second link of the same channel is none of the other.
            (["\(out):output_FL", "Taker.in:input_2_FR"], false),
            (["\(out):output_FR", "Taker.in:input_1_FR"], true),
            (["-d", "\(out):output_FL", "Taker.in:input_1_FL"], true),
            (["-d", "\(out):output_FL", "Taker.in:input_2_FR"], false),
            (["\(out):output_FL", "Taker.in:input_1_FL"], true),
        ]
        for (index, step) in steps.enumerated() {
            try await stage.graph.run("pw-link", step.arguments)
            try await stage.graph.settle()
            block.value = nil
            try await stage.step(64, cycles: 4)
            XCTAssertEqual(isFullyConnected(), step.isFull, "step \(index), on the control side")
            XCTAssertEqual(block.value, step.isFull, "step \(index), in the block")
        }
    }
}
