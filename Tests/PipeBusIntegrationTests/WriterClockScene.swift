// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// The sound is a function of the time at which it is made, so each frame says when that was.
struct WriterClockScene: ~Copyable {
    static let frequency = 300.0
    static let latency = 4800

    /// A sine of 300 Hz and a level of 0.5 changes by 0.94 in a millisecond.
    static func difference(after seconds: Double) -> Float { Float(0.95 * seconds * 1000) }

    static func sine(at seconds: Double) -> Float {
        Float(0.5 * sin(2 * .pi * (frequency * seconds).truncatingRemainder(dividingBy: 1)))
    }

    let stage: Stage
    let output: SenderPort
    let input: ReceiverPort
    let capture: Capture
    var writer: Writer
    /// Of the app, as it is and as it says.
    var rate: Double
    let offset: Double
    var graphRate = 48_000
    let block: Int
    let quantum: Int
    let jitter: Double
    var numbers = SeededGenerator(seed: 3)
    /// The stepper's time, and that of the app's next frame, in seconds.
    var time = 1.0
    var next = 1.0
    var heard = 0
    var silent = 0
    var worst: Float = 0
    var last: Float = 0
    var largestStep: Float = 0
    /// Which blocks are not written; by number.
    var isLost: (Int) -> Bool = { _ in false }
    private var blocks = 0
    /// When the frames that are not written were made, in seconds.
    private var gaps: [ClosedRange<Double>] = []
    /// Whether the app states the time of its calls, and not that of its device.
    var statesCalls = false
    /// Number of frames of this format, and of the graph's that the formats before it have made.
    var written = 0
    var expected = 0

    static func start(
        rate: Int, offset: Double, block: Int, quantum: Int, jitter: Double = 0, hasOwnClock: Bool = true,
        graphRate: Int = 48_000
    ) async throws -> WriterClockScene {
        let stage = try await Stage.start()
        if graphRate != 48_000 { try await stage.graph.setClock(0, sampleRate: graphRate) }
        let output = try await stage.givers.sender("out", channels: .mono)
        try await eventually("the sender to be seen") { await stage.taker.graph.port(output.id) != nil }
        let input = try await stage.taker.receiver(
            "in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance)
        let writer = try await output.makeWriter(
            format: StreamFormat(.float32, sampleRate: rate), bufferSize: 1 << 15,
            liveLatency: Self.latency, hasOwnClock: hasOwnClock)
        try await stage.taker.connect(output, to: input)
        try await stage.showToGivers(output, input)
        try await eventually("the latency") {
            try await input.sources.first?.latency.frames == Self.latency
        }
        return WriterClockScene(
            stage: stage, output: output, input: input, capture: try input.makeCapture(), writer: writer,
            rate: Double(rate) * (1 + offset), offset: offset, block: block, quantum: quantum, jitter: jitter,
            graphRate: graphRate)
    }

    init(
        stage: Stage, output: SenderPort, input: ReceiverPort, capture: Capture, writer: consuming Writer,
        rate: Double, offset: Double, block: Int, quantum: Int, jitter: Double, graphRate: Int
    ) {
        self.stage = stage
        self.output = output
        self.input = input
        self.capture = capture
        self.writer = writer
        self.rate = rate
        self.offset = offset
        self.graphRate = graphRate
        self.block = block
        self.quantum = quantum
        self.jitter = jitter
    }

    mutating func forget() { (heard, silent, worst, largestStep) = (0, 0, 0, 0) }

    mutating func setFormat(_ rate: Int) throws {
        try writer.setFormat(StreamFormat(.float32, sampleRate: rate))
        let nominal = Int((self.rate / (1 + offset)).rounded())
        expected += (written * 48_000 + nominal - 1) / nominal
        written = 0
        self.rate = Double(rate) * (1 + offset)
    }

    mutating func run(seconds: Double) async throws {
        let end = time + seconds
        while time < end {
            // A block is written when its last frame was made.
            while next + Double(block) / rate < time {
                blocks += 1
                guard !isLost(blocks) else {
                    gaps.append(next...(next + Double(block) / rate))
                    next += Double(block) / rate
                    continue
                }
                let sound = (0..<block).map { Self.sine(at: next + Double($0) / rate) }
                let said = statesCalls ? time : next + Double.random(in: 0...1, using: &numbers) * jitter
                if statesCalls { writer.timeOfCalls = MonotonicTime(nanoseconds: UInt64(said * 1e9)) }
                XCTAssertEqual(
                    writer.tryWrite(sound.span, madeAt: MonotonicTime(nanoseconds: UInt64(said * 1e9))), block)
                next += Double(block) / rate
                written += block
            }
            try await stage.step(quantum)
            time += Double(quantum) / Double(graphRate)
            while let block = capture.read() { hear(block) }
        }
    }

    private mutating func hear(_ block: CaptureBlock) {
        let made = Double(block.timestamp.time.nanoseconds) / 1e9
        gaps.removeAll { $0.upperBound < made - 1 }
        for (frame, sample) in block[0].enumerated() {
            // With jitter the app says that it is later by half of it.
            let time = made + Double(frame) / Double(block.sampleRate) - jitter / 2
            largestStep = max(largestStep, abs(sample - last))
            last = sample
            if sample == 0 { silent += 1 } else { heard += 1 }
            // Sound decays into a gap, and comes back with a fade.
            guard !gaps.contains(where: { $0.lowerBound - 0.004 < time && time < $0.upperBound + 0.006 }) else {
                continue
            }
            worst = max(worst, abs(sample - Self.sine(at: time)))
        }
    }
}
