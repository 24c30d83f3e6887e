// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// Writers whose ports are connected and disconnected during the sound: over every length of a cycle and of a block, each frame
/// that was taken is heard once, or is counted.
final class WriterMatrixTests: BusTestCase {
    /// A million frames of each combination, a quarter of that in the shortest cycles.
    func testPlayersThatAreConnectedAndDisconnected() async throws {
        var numbers = StreamMatrix.generator("players")
        for quantum in StreamMatrix.quanta { try await play(quantum, &numbers) }
    }

    private func play(_ quantum: Int, _ numbers: inout SeededGenerator) async throws {
        let scene = try await WriterScene.start()
        var players: [MatrixPlayer] = []
        for (port, size) in zip(scene.ports, StreamMatrix.blockSizes) {
            players.append(MatrixPlayer(try await port.makeWriter(bufferSize: 20_000), blockSize: size))
        }
        func run(_ cycles: Int) async throws {
            var rest = cycles
            while rest > 0 {
                for player in players { player.fill() }
                let count = min(rest, max((20_000 - 2 * quantum) / quantum, 1))
                try await scene.stage.step(quantum, cycles: count)
                rest -= count
                try scene.readAll { players[$0].note($1) }
            }
        }
        let rounds = 8
        let cycles = (quantum < 64 ? 250_000 : 1_000_000) / rounds / quantum
        for _ in 0..<rounds {
            // Some are away for some cycles.
            for _ in 0..<4 { try await scene.toggle(Int.random(in: players.indices, using: &numbers)) }
            try await run(Int.random(in: 1...4, using: &numbers))
            try await scene.connectAll()
            try await run(cycles)
        }
        for player in players {
            let what = "quantum \(quantum), block \(player.blockSize)"
            let statistics = player.statistics
            XCTAssertNil(player.fault, what)
            XCTAssertEqual(statistics.writtenFrames, UInt64(player.writtenFrames), what)
            XCTAssertEqual(statistics.underruns, 0, what)
            XCTAssertEqual(statistics.droppedFrames, 0, what)
            XCTAssertEqual(player.writtenFrames, player.heardFrames + player.latency.frames, what)
            XCTAssertGreaterThanOrEqual(player.heardFrames, rounds * cycles * quantum, what)
        }
        try await scene.stage.close()
    }

    /// 125 000 frames of each combination.
    func testLiveSoundThatIsConnectedAndDisconnected() async throws {
        var numbers = StreamMatrix.generator("live writers")
        for quantum in StreamMatrix.quanta { try await playLive(quantum, &numbers) }
    }

    private func playLive(_ quantum: Int, _ numbers: inout SeededGenerator) async throws {
        let box = Box<[LiveMatrixWriter]>([])
        let isPacedBefore = Bool.random(using: &numbers)
        let scene = try await WriterScene.start(isPacedBefore: isPacedBefore) { cycle in
            for writer in box.value { writer.run(cycle) }
        }
        var writers: [LiveMatrixWriter] = []
        for (port, given) in zip(scene.ports, StreamMatrix.blockSizes) {
            // At most 16 384 writes wait.
            let size = max(given, quantum / 4096)
            let latency = size + 2 * quantum
            writers.append(
                LiveMatrixWriter(
                    try await port.makeWriter(bufferSize: 20_000, liveLatency: latency), blockSize: size,
                    liveLatency: latency))
        }
        box.value = writers
        func run(_ frames: Int) async throws {
            let sources = scene.connected
            try await eventually("the latencies") {
                try await Set(scene.input.sources.map(\.latency.frames))
                    == Set(sources.map { writers[$0].liveLatency })
            }
            try await scene.stage.step(quantum, cycles: max(frames / quantum, 1))
            try scene.readAll { writers[$0].note($1) }
        }
        let rounds = 8
        for _ in 0..<rounds {
            for number in writers.indices.shuffled(using: &numbers).prefix(4) { try await scene.toggle(number) }
            // Shorter than the latency, or longer, but no pause that is still right to 5 ms.
            try await run(Int.random(in: 480...(480 + 3 * quantum), using: &numbers) + quantum)
            try await scene.connectAll()
            try await run(125_000 / rounds)
        }
        // Until all is heard.
        box.value = []
        try await run(writers.reduce(0) { max($0, $1.liveLatency) } + 2 * quantum)
        for writer in writers {
            let what =
                "quantum \(quantum), block \(writer.blockSize), written \(isPacedBefore ? "before" : "after") it is played"
            let statistics = writer.statistics
            XCTAssertNil(writer.fault, what)
            XCTAssertEqual(Int(statistics.writtenFrames), writer.keptFrames + writer.unheardFrames, what)
            // Only what was not connected when it was written, or at its time.
            XCTAssertEqual(
                Int(statistics.droppedFrames) - writer.unheardFrames, writer.keptFrames - writer.heardFrames, what)
        }
        try await scene.stage.close()
    }
}
