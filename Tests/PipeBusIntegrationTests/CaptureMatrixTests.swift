// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// Captures while sources are connected and disconnected: over every length of a cycle and of a block, each frame comes once,
/// at its time, or is counted where it is missing.
final class CaptureMatrixTests: BusTestCase {
    private static let capacity = 1 << 15

    func testTheMixOfSourcesThatComeAndGo() async throws {
        var numbers = StreamMatrix.generator("capture of a mix")
        for quantum in StreamMatrix.quanta { try await run(quantum, isSeparate: false, &numbers) }
    }

    func testEachOfSourcesThatComeAndGo() async throws {
        var numbers = StreamMatrix.generator("capture of lanes")
        for quantum in StreamMatrix.quanta { try await run(quantum, isSeparate: true, &numbers) }
    }

    /// A million frames, a quarter of that in the shortest cycles. Captures in blocks of each size miss some because they are not
    /// read, and all miss some because the graph does.
    private func run(_ quantum: Int, isSeparate: Bool, _ numbers: inout SeededGenerator) async throws {
        let stage = try await Stage.start()
        let log = PresenceLog(lanes: isSeparate ? NumberedSound.sourceCount : 1)
        let input = try await receiver(of: stage, isSeparate: isSeparate, log)
        let captures = try StreamMatrix.blockSizes.map {
            MatrixCapture(
                try input.makeCapture(minimumCapacity: Self.capacity), blockSize: $0,
                laneCount: NumberedSound.sourceCount, log)
        }
        let sources = try await MatrixSources(stage, to: input)
        // For cycles shorter than 32 frames there is room for as many cycles.
        let room = min(Self.capacity, Self.capacity / 32 * quantum) / quantum
        let (rounds, cycles) = (12, (quantum < 64 ? 250_000 : 1_000_000) / quantum)
        let diligent = Int.random(in: captures.indices, using: &numbers)
        var missed = 0
        for round in 0..<rounds {
            try await sources.change(using: &numbers)
            try await stage.step(quantum, cycles: Int.random(in: 1...min(4, room), using: &numbers))
            for capture in captures { capture.readAll() }
            try await sources.change(using: &numbers)
            if round % 3 == 0, let count = sources.presentCount {
                // The graph goes on without its ports.
                try await stage.step(quantum)
                let frames = Int.random(in: 1...100, using: &numbers) * 48
                try await stage.graph.moveClock(to: Int(log.end) + frames, afterMilliseconds: frames / 48)
                missed += frames * (isSeparate ? count : 1)
            }
            // Another one is not read for a while.
            let lazy = captures.indices.filter { $0 != diligent }.randomElement(using: &numbers)
            var rest = cycles / rounds
            while rest > 0 {
                let count = min(rest, max(room - 2, 1))
                try await stage.step(quantum, cycles: count)
                rest -= count
                for (index, capture) in captures.enumerated() where index != lazy || rest == 0 {
                    capture.readAll()
                }
            }
        }
        try await sources.disconnectAll()
        try await stage.step(quantum, cycles: 2)
        try await stage.close()
        for capture in captures { capture.readAll() }
        for capture in captures {
            let what = "quantum \(quantum), block \(capture.blockSize)"
            XCTAssertNil(capture.fault, what)
            XCTAssertEqual(capture.frames + capture.droppedFrames, log.frameCount, what)
            XCTAssertEqual(capture.missedFrames, missed, what)
        }
        XCTAssertEqual(captures[diligent].droppedFrames, 0, "quantum \(quantum)")
        XCTAssertEqual(captures[diligent].heardFrames, sources.madeFrames, "quantum \(quantum)")
    }

    private func receiver(of stage: Stage, isSeparate: Bool, _ log: PresenceLog) async throws -> ReceiverPort {
        let lanes = NumberedSound.sourceCount
        guard isSeparate else {
            return try await stage.taker.receiver("in", lanes: lanes, fade: .none, panLaw: .balance, state: ()) {
                _, cycle, _ in
                log.note(lane: 0, Int64(cycle.position)..<Int64(cycle.position) + Int64(cycle.frameCount))
            }
        }
        return try await stage.taker.separateReceiver("in", lanes: lanes, fade: .none, state: ()) {
            _, cycle, sources in
            for lane in 0..<sources.count where sources[lane] != nil {
                log.note(lane: lane, Int64(cycle.position)..<Int64(cycle.position) + Int64(cycle.frameCount))
            }
        }
    }
}
