// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The graph's sample rate changes while sound comes: what is lost on one clock is counted, and no time comes twice.
final class RateChangeTests: DaemonTestCase {
    private static let rates = [48_000, 44_100, 96_000, 32_000, 48_000, 192_000, 48_000]

    /// A sender that numbers the frames that it makes, from 1.
    private func addCounter(to bus: BusClient) async throws -> SenderPort {
        try await bus.sender("out", channels: .mono, state: 0) { number, _, output in
            var samples = output[0]
            for frame in samples.indices {
                number += 1
                samples[frame] = Float(number)
            }
        }
    }

    private func set(rate: Int, on daemon: HeadlessPipeWire) async throws {
        try await daemon.perform("pw-metadata", "-n", "settings", "0", "clock.force-rate", "\(rate)")
    }

    func testACaptureCountsWhatIsLost() async throws { try await runCapture(.chosen, isSeparate: false) }
    func testACaptureCountsWhatIsLostOn14() async throws { try await runCapture(.newer(), isSeparate: false) }
    func testASeparateCaptureCountsWhatIsLost() async throws { try await runCapture(.chosen, isSeparate: true) }
    func testASeparateCaptureCountsWhatIsLostOn14() async throws { try await runCapture(.newer(), isSeparate: true) }

    private func runCapture(_ installation: PipeWireInstallation, isSeparate: Bool) async throws {
        let daemon = try await startDaemon(.init(quantum: 512), installation: installation)
        let giver = try await BusClient.connect(
            as: "org.pipebus.giver", name: "Giver", remote: daemon.remote,
            allowsConnectionsToSelf: true)
        let taker = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: daemon.remote,
            allowsConnectionsToSelf: true)
        let capture =
            isSeparate
            ? try await taker.separateCapture("in", lanes: 1, fade: .none)
            : try await taker.capture("in", lanes: 1, fade: .none, panLaw: .balance)
        try await taker.connect(try await addCounter(to: giver), to: capture.port)
        var account = CountedBlocks()
        for rate in Self.rates {
            try await set(rate: rate, on: daemon)
            var blocks = 0
            try await eventually("20 blocks at \(rate) Hz") {
                while let block = capture.read() {
                    try account.add(block)
                    if block.graphSampleRate == rate { blocks += 1 }
                }
                return blocks >= 20
            }
        }
        print("captured \(account.frames) frames on \(account.clocks) clocks, \(account.missed) missed")
        XCTAssertGreaterThanOrEqual(account.clocks, Self.rates.count - 1)
        await giver.close()
        await taker.close()
    }
}

/// Checks that the numbers of a ``RateChangeTests`` sender go on, or that the blocks say what is missing.
private struct CountedBlocks {
    private(set) var frames = 0
    private(set) var missed = 0
    private(set) var clocks = 0
    private(set) var sampleRate = 0
    private var last = 0
    /// Number of frames that were reported as missed or dropped on this clock, less those that are missing.
    private var unused = 0
    /// Whether another clock began since the last number.
    private var isOnOtherClock = true
    private var clock: GraphClock?
    private var end: Int64 = .min

    mutating func add(_ block: CaptureBlock) throws {
        if block.clock != clock {
            clocks += 1
            isOnOtherClock = true
            unused = 0
        } else {
            XCTAssertEqual(block.graphSampleRate, sampleRate, "one clock has one rate")
        }
        if block.clock == clock, !block.isContinuation, block.timestamp.position < end {
            // PipeWire gave a late app one cycle twice.
            isOnOtherClock = true
            last = 0
        } else {
            XCTAssertGreaterThanOrEqual(block.timestamp.position, end, "a time comes twice")
        }
        if block.clock == clock, end > .min {
            let gap = Int(block.timestamp.position - end)
            XCTAssertLessThanOrEqual(gap, block.missedFrames + block.droppedFrames, "a gap is not counted")
        }
        (clock, sampleRate) = (block.clock, block.graphSampleRate)
        end = block.timestamp.position + Int64(block.frameCount)
        missed += block.missedFrames
        unused += block.missedFrames + block.droppedFrames
        for sample in block[0] where sample != 0 {
            let number = Int(sample)
            let lost = number - last - 1
            XCTAssertGreaterThanOrEqual(lost, 0, "sound is repeated")
            if lost > 0, last > 0, !isOnOtherClock {
                // A late app may be given the sound of the cycle before, so the report comes first.
                XCTAssertLessThanOrEqual(lost, unused, "lost and not counted, at \(sampleRate) Hz, frame \(frames)")
                unused -= lost
            }
            (last, isOnOtherClock) = (number, false)
        }
        frames += block.frameCount
    }
}
