// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTesting
import XCTest

/// A filter with a key, on an exact graph. Its first output is its input, and its second one the key.
struct SideChainScene {
    let stage: Stage
    let filter: FilterPort
    let hearing: Hearing
    let ear: ReceiverPort
    /// What the filter knew of its key in each call.
    let isKeyed: Box<[Bool]>

    var key: ReceiverPort { filter.auxiliaryInputs[0] }

    static let signal: Stage.Signal = { position, _ in Float(position % 100_003) + 1 }

    static func start(
        latency: Int = 0, blockSize: Int? = nil, alignment: Alignment = .synchronized
    ) async throws -> SideChainScene {
        let stage = try await Stage.start()
        let isKeyed = Box<[Bool]>([])
        let filter = try await stage.taker.filter(
            "fx", inputs: .mono, outputs: .stereo,
            auxiliaryInputs: [
                AuxiliaryInput("key", channels: .mono, lanes: 3, alignment: alignment, fade: .none),
                AuxiliaryInput("second", channels: .stereo, lanes: 1, alignment: .immediate, fade: .none),
            ], latency: latency, fade: .none, blockSize: blockSize, state: ()
        ) { _, _, input, auxiliary, output in
            isKeyed.value.append(auxiliary.isConnected(0))
            let main = input[0]
            let key = auxiliary[0][0]
            let other = auxiliary[1][1]
            output.fill(0) { frame in main[frame] + other[frame] }
            output.fill(1) { frame in key[frame] }
        }
        let hearing = Hearing()
        let ear = try await hearing.separate(
            on: stage.taker, "ear", channels: .stereo, lanes: 1, alignment: .immediate)
        try await stage.taker.connect(filter, to: ear)
        return SideChainScene(stage: stage, filter: filter, hearing: hearing, ear: ear, isKeyed: isKeyed)
    }

    /// Waits until the latencies are known everywhere, and all crossfades are over.
    ///
    /// - Parameter main: the age of the filter's input.
    func settle(main: Int = 0, filter latency: Int, key age: Int, quantum: Int = 256) async throws {
        try await stage.graph.settle()
        try await stage.stepping(quantum) {
            try await eventually("a latency of \(latency) and a key of \(age)") {
                filter.latency.frames == latency && key.latency.frames == age
                    && ear.latency.frames == main + latency
            }
        }
        try await stage.step(quantum, cycles: 12_000 / quantum + 4)
    }

    /// Checks that both outputs are what was made at one time.
    func assertAligned(
        main: Float = 1, key: Float = 1, quantum: Int = 256, _ what: String, file: StaticString = #filePath,
        line: UInt = #line
    ) async throws {
        hearing.forget()
        isKeyed.value = []
        try await stage.step(quantum, cycles: 12)
        let moments = hearing.moments
        XCTAssertEqual(moments.count, 12, what, file: file, line: line)
        for moment in moments {
            guard let lane = moment.lanes[0] else {
                return XCTFail("nothing is heard, \(what)", file: file, line: line)
            }
            let start = lane.source.timestamp.position
            let signal = (0..<Int64(moment.cycle.frameCount)).map { Self.signal(start + $0, 0) }
            let heard = lane.channels
            XCTAssertEqual(heard[0].first, signal.first.map { main * $0 }, "the input, \(what)", file: file, line: line)
            XCTAssertEqual(heard[1].first, signal.first.map { key * $0 }, "the key, \(what)", file: file, line: line)
            XCTAssertTrue(heard[0] == signal.map { main * $0 }, "the input, \(what)", file: file, line: line)
            XCTAssertTrue(heard[1] == signal.map { key * $0 }, "the key, \(what)", file: file, line: line)
        }
        XCTAssertEqual(Set(isKeyed.value).subtracting([key != 0]), [], what, file: file, line: line)
    }

    func close() async throws { try await stage.close() }
}
