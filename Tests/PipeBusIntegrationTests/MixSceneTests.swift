// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Random receivers, sources, levels, comings and goings in a real graph, against a reference in double precision.
final class MixSceneTests: BusTestCase {
    func testAHundredRandomScenes() async throws {
        let stage = try await Stage.start()
        var scene = try await MixScene(stage, seed: 1)
        for number in 0..<100 {
            try await scene.open()
            for round in 0..<3 {
                try await scene.change()
                if let fault = try await scene.compare() {
                    return XCTFail("scene \(number), round \(round), \(scene.description): \(fault)")
                }
            }
            await scene.close()
        }
        XCTAssertGreaterThan(scene.comparedFrames, 500_000)
        try await stage.close()
    }
}
