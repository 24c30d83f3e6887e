// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// Readers while sources are connected and disconnected: over every length of a cycle and of a block, each frame is read once
/// and in its place, and nothing that was not connected is counted as late.
final class ReaderMatrixTests: BusTestCase {
    /// A million frames of each combination.
    func testTheMixOfSourcesThatComeAndGo() async throws {
        var numbers = StreamMatrix.generator("reader of a mix")
        for quantum in StreamMatrix.quanta {
            try await run(quantum, StreamMatrix.blockSizes, frames: 1_000_000, isSeparate: false, &numbers)
        }
    }

    /// A million frames of each combination; an eighth of that of the shortest blocks, and a quarter in the shortest cycles.
    func testLanesOfSourcesThatComeAndGo() async throws {
        var numbers = StreamMatrix.generator("reader of lanes")
        let (short, long) = (StreamMatrix.blockSizes.filter { $0 < 64 }, StreamMatrix.blockSizes.filter { $0 >= 64 })
        for quantum in StreamMatrix.quanta {
            try await run(quantum, short, frames: 125_000, isSeparate: true, &numbers)
            try await run(quantum, long, frames: quantum < 64 ? 250_000 : 1_000_000, isSeparate: true, &numbers)
        }
    }

    private func run(
        _ quantum: Int, _ blockSizes: [Int], frames: Int, isSeparate: Bool, _ numbers: inout SeededGenerator
    ) async throws {
        let stage = try await Stage.start()
        let arrived = Box(0)
        let box = Box<[MatrixReader]>([])
        // The readers read in every cycle, whatever is connected: before the receiver has it, or after.
        let isFirst = Bool.random(using: &numbers)
        func addPace() async throws {
            _ = try await stage.taker.receiver(
                "pace", lanes: 1, keepsRunning: true, after: isFirst ? [] : ["in"], state: ()
            ) { _, cycle, _ in
                for reader in box.value { reader.run(cycle) }
            }
        }
        if isFirst { try await addPace() }
        let input = try await receiver(of: stage, isSeparate: isSeparate, after: isFirst ? ["pace"] : [], arrived)
        if !isFirst { try await addPace() }
        let readers = try blockSizes.map { size in
            MatrixReader(
                try input.makeReader(blockSize: size), blockSize: size, laneCount: isSeparate ? input.laneCount : 0)
        }
        box.value = readers
        let sources = try await MatrixSources(stage, to: input)
        let rounds = 12
        for _ in 0..<rounds {
            // Short pauses, in which there is still sound to read, and long ones.
            try await sources.change(using: &numbers)
            try await stage.step(quantum, cycles: Int.random(in: 1...4, using: &numbers))
            try await sources.change(using: &numbers)
            // A reader that reads before the receiver has the cycle finds the first one of a connection in the second.
            try await stage.step(quantum, cycles: max(frames / rounds / quantum, 2))
        }
        if sources.areAnyConnected {
            for reader in readers {
                let waiting = arrived.value - Int(reader.statistics.givenFrames)
                checkDistance(of: reader, quantum, waiting: isSeparate ? nil : waiting - (isFirst ? quantum : 0))
            }
        }
        try await sources.disconnectAll()
        // Until all is read.
        let longest = blockSizes.reduce(quantum, max)
        try await stage.step(quantum, cycles: 2 * (longest + quantum) / quantum + 1)
        for reader in readers {
            let what = "quantum \(quantum), block \(reader.blockSize), the reader is \(isFirst ? "first" : "last")"
            XCTAssertNil(reader.fault, what)
            XCTAssertEqual(reader.heardFrames, sources.madeFrames, what)
            XCTAssertEqual(reader.lateFrames, 0, what)
            XCTAssertEqual(reader.statistics.lateFrames, 0, what)
            XCTAssertEqual(reader.statistics.discardedFrames, 0, what)
            XCTAssertEqual(Int(reader.statistics.givenFrames), arrived.value, what)
        }
        box.value = []
        try await stage.close()
    }

    /// - Parameter arrived: counts the frames of the mix, or of all lanes with a source.
    private func receiver(
        of stage: Stage, isSeparate: Bool, after: [any LocalPortDesignator], _ arrived: Box<Int>
    ) async throws -> ReceiverPort {
        let lanes = NumberedSound.sourceCount
        guard isSeparate else {
            return try await stage.taker.receiver(
                "in", lanes: lanes, fade: .none, panLaw: .balance, after: after, state: ()
            ) { _, cycle, _ in arrived.value += cycle.frameCount }
        }
        return try await stage.taker.separateReceiver("in", lanes: lanes, fade: .none, after: after, state: ()) {
            _, cycle, sources in
            for lane in 0..<sources.count where sources[lane] != nil { arrived.value += cycle.frameCount }
        }
    }

    /// A reader is as far behind the graph as it says.
    ///
    /// - Parameter waiting: number of frames that were there for the last read, and are not read.
    private func checkDistance(of reader: MatrixReader, _ quantum: Int, waiting: Int?) {
        let what = "quantum \(quantum), block \(reader.blockSize)"
        let target = max(quantum, reader.blockSize) + quantum
        XCTAssertEqual(reader.latency.frames, target, what)
        guard let waiting else { return }
        XCTAssertTrue(((target - reader.blockSize - quantum)...target).contains(waiting), "\(what): \(waiting)")
    }
}
