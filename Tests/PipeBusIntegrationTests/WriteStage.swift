// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting

/// A sender with a writer, and a capture of it.
struct WriteStage: ~Copyable {
    let stage: Stage
    let output: SenderPort
    let input: ReceiverPort
    let capture: Capture

    static func start(channels: ChannelLayout = .stereo) async throws -> WriteStage {
        let stage = try await Stage.start()
        let output = try await stage.givers.sender("out", channels: channels)
        try await eventually("the sender to be seen") { await stage.taker.graph.port(output.id) != nil }
        let input = try await stage.taker.receiver(
            "in", channels: channels, lanes: 1, fade: .none, panLaw: .balance)
        return WriteStage(stage: stage, output: output, input: input, capture: try input.makeCapture())
    }

    func connect() async throws {
        try await stage.taker.connect(output, to: input)
        try await stage.showToGivers(output, input)
    }

    /// All samples of a channel that have come.
    func heard(_ channel: Int = 0) -> [Float] {
        var samples: [Float] = []
        while let block = capture.read() { samples += block[channel] }
        return samples
    }

    static func signal(_ frame: Int, _ channel: Int) -> Float {
        Float((frame &* 7 &+ 1009 &* channel) & 0xFFFF) + 1
    }

    static func samples(_ frames: Range<Int>, channels: Int = 2) -> [Float] {
        frames.flatMap { frame in (0..<channels).map { signal(frame, $0) } }
    }
}

/// Keeps a writer for a task.
actor WriterBox {
    private var writer: Writer?

    init(_ writer: consuming Writer) { self.writer = consume writer }

    func finish() async throws {
        guard let writer = writer.take() else { return }
        try await writer.finish()
    }

    func play(_ samples: [Float]) async throws {
        guard var writer = writer.take() else { return }
        try await writer.write(samples)
        try await writer.finish()
    }

    func play(bytes: [UInt8]) async throws {
        guard var writer = writer.take() else { return }
        try await writer.write(bytes)
        try await writer.finish()
    }
}

extension WriterBox {
    /// Finishes the writer in a task of its own.
    nonisolated func startFinishing() -> (task: Task<Void, any Error>, isDone: Flag) {
        let isDone = Flag()
        let task = Task {
            defer { isDone.raise() }
            try await finish()
        }
        return (task, isDone)
    }
}
