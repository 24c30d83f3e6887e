// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Eight sources on separate lanes: six publish their latency, one does not, and one first comes through a filter and
/// then without it.
///
/// All click at the same positions, and each click has its own number.
struct ClickScene {
    static let honest = [0, 1, 64, 480, 4_800, 48_000]
    /// Frames between two clicks.
    private static let period: Int64 = 5_003
    private static let liarLatency = (declared: 100, actual: 300)

    struct Click: Hashable {
        var number: Int
        /// The position at which it was heard.
        var heard: Int64
        /// When it was made, as the timestamp says.
        var made: Int64
    }

    /// By their latencies.
    var senders: [Int: GraphPort.ID] = [:]
    let liar: GraphPort.ID
    let changing: GraphPort.ID
    let filter: GraphPort.ID
    /// Where the one that changes had its filter taken away.
    private(set) var change: Int64 = 0
    private var end: Int64 = 0
    private var clicks: [GraphPort.ID: [Click]] = [:]

    static func run(
        _ alignment: Alignment, installation: PipeWireInstallation = .chosen
    ) async throws -> ClickScene {
        let stage = try await Stage.start(installation: installation)
        let hearing = Hearing()
        let receiver = try await hearing.separate(on: stage.taker, alignment: alignment)
        let click: Stage.Signal = { position, _ in
            position >= 0 && position % period == 0 ? Float(position / period + 1) : 0
        }
        let liar = try await stage.sender("liar", latency: liarLatency.declared, actual: liarLatency.actual, click)
        let changing = try await stage.sender("changing", click)
        let filter = try await stage.delay("fx", by: 480)
        var scene = ClickScene(liar: liar.id, changing: changing.id, filter: filter.id)
        try await stage.taker.connect(changing, to: filter)
        try await stage.taker.connect(filter, to: receiver)
        for latency in honest {
            let sender = try await stage.sender("late \(latency)", latency: latency, click)
            scene.senders[latency] = sender.id
            try await stage.taker.connect(sender, to: receiver)
        }
        try await stage.taker.connect(liar, to: receiver)
        try await receiver.reports(latencies: honest + [liarLatency.declared, 480])
        try await stage.graph.step(steps(seed: 6))
        try await stage.taker.disconnect(filter, from: receiver)
        try await stage.taker.connect(changing, to: receiver)
        try await receiver.reports(latencies: honest + [liarLatency.declared, 0])
        scene.change = hearing.moments.last.map { $0.start + Int64($0.cycle.frameCount) } ?? 0
        try await stage.graph.step(steps(seed: 7))
        try await stage.close()
        scene.collect(hearing.moments)
        return scene
    }

    /// Cycles of one length, and of another each time.
    private static func steps(seed: UInt64) -> [(frames: Int, cycles: Int)] {
        [(64, 100), (1000, 30), (16, 300), (8192, 5)] + Steps.random(cycles: 20, seed: seed).list
    }

    private mutating func collect(_ moments: [Hearing.Moment]) {
        end = moments.last.map { $0.start + Int64($0.cycle.frameCount) } ?? 0
        for moment in moments {
            for lane in moment.lanes.values {
                for (frame, sample) in lane.channels[0].enumerated() where sample != 0 {
                    // The rest of a disconnected source's sound is faded out; a click of half the loudness does not
                    // count.
                    guard let number = Int(exactly: sample) else { continue }
                    clicks[lane.source.id, default: []].append(
                        Click(
                            number: number, heard: moment.start + Int64(frame),
                            made: lane.source.timestamp.position + Int64(frame)))
                }
            }
        }
    }

    /// Looks at every click of a receiver that waits for its slowest source.
    func assertAligned(file: StaticString = #filePath, line: UInt = #line) {
        func check(
            _ source: GraphPort.ID, _ delay: Int, error: Int = 0, madeFrom first: Int64 = 0, until last: Int64? = nil
        ) {
            assertClicks(
                of: source, heardAfter: delay, saidToBeMadeAfter: error, madeFrom: first, until: last, file: file,
                line: line)
        }
        for sender in senders.values { check(sender, 48_000) }
        // It publishes 100 and is 300: its own clicks are off by the rest, and no other source's are.
        check(liar, 48_200, error: 200)
        check(filter, 48_000, until: change)
        check(changing, 48_000, madeFrom: change)
    }

    /// Looks at every click of a source.
    ///
    /// - Parameters:
    ///   - delay: how many frames after its time each is heard.
    ///   - error: by how many frames the timestamps are wrong.
    ///   - first: clicks before that were not made.
    ///   - last: what would be heard later is not.
    func assertClicks(
        of source: GraphPort.ID, heardAfter delay: Int, saidToBeMadeAfter error: Int, madeFrom first: Int64 = 0,
        until last: Int64? = nil, file: StaticString = #filePath, line: UInt = #line
    ) {
        var expected: [Click] = []
        var number = 1
        while true {
            let made = Int64(number - 1) * Self.period
            let heard = made + Int64(delay)
            if heard >= last ?? end { break }
            if made >= first { expected.append(Click(number: number, heard: heard, made: made + Int64(error))) }
            number += 1
        }
        XCTAssertGreaterThan(expected.count, 10, "nothing to look at", file: file, line: line)
        XCTAssertEqual(clicks[source] ?? [], expected, file: file, line: line)
    }
}
