// SPDX-License-Identifier: MIT
import PipeBus

/// The writer of a player, whose sound goes on at the right pitch when the graph's sample rate changes.
///
/// What waits in a `Writer` was converted to the rate before, and would be played at a wrong pitch. So this one keeps the blocks that
/// wait, and gives them to another writer, from the frame on that was not played yet.
///
/// - Thread: any that may wait, one at a time.
struct PitchKeepingWriter: ~Copyable {
    /// Number of the graph's frames that wait in the writer: what is heard while no sound comes. 1.4 s at 48 kHz.
    private static let bufferSize = 1 << 16

    private let port: SenderPort
    private let format: StreamFormat
    /// Of the sound, in hertz.
    private let sampleRate: Int
    /// Of the port, in frames of the graph.
    private let latency: Int
    /// `nil` only while it is replaced, and after the end.
    private var writer: Writer?
    let channelCount: Int

    /// The newest blocks, from a frame of the sound on that was not played when the last one was added.
    private var blocks: [(sound: SoundBlock, frameCount: Int)] = []
    private var firstFrame = 0
    /// Number of frames that were added, and of those that the writer has taken.
    private(set) var addedFrames = 0
    private var takenFrames = 0
    /// The graph's rate to which the taken frames were converted, in hertz; 0 before the first one.
    private var graphRate = 0
    private var earlierUnderruns: UInt64 = 0

    /// - Parameters:
    ///   - sampleRate: of the sound, in hertz.
    ///   - latency: of the port, in frames of the graph.
    /// - Throws: what `SenderPort.makeWriter` throws.
    init(_ port: SenderPort, _ format: StreamFormat, sampleRate: Int, latency: Int) async throws {
        self.port = port
        self.format = format
        self.sampleRate = sampleRate
        self.latency = latency
        let writer = try await Self.make(port, format, latency)
        channelCount = writer.channelCount
        self.writer = consume writer
    }

    private static func make(_ port: SenderPort, _ format: StreamFormat, _ latency: Int) async throws -> Writer {
        let writer = try await port.makeWriter(format: format, bufferSize: bufferSize)
        // After the writer, which has set that of its own sound.
        if latency > 0 { try await port.setLatency(.frames(latency)) }
        return writer
    }

    // MARK: Sound

    /// Adds a block, and waits until the writer has all of it.
    ///
    /// - Throws: `PipeBusError` when the port or its client is closed.
    mutating func write(_ sound: SoundBlock) async throws {
        let played = playedFrames
        while let first = blocks.first, firstFrame + first.frameCount <= played {
            firstFrame += blocks.removeFirst().frameCount
        }
        let count = sound.frameCount(channelCount: channelCount, bytesPerSample: format.sample.byteCount)
        guard count > 0 else { return }
        blocks.append((sound, count))
        addedFrames += count
        try await writeAll()
    }

    /// Waits until the writer has all blocks, also those that the graph's rate has made to be converted once more.
    ///
    /// - Throws: `PipeBusError` when the port or its client is closed.
    mutating func writeAll() async throws {
        repeat {
            try await followGraph()
            let taken = writeNext()
            takenFrames += taken
            if taken == 0, takenFrames < addedFrames { try await wait() }
        } while takenFrames < addedFrames
    }

    /// - Returns: the number of frames that were taken.
    private mutating func writeNext() -> Int {
        var start = firstFrame
        for block in blocks {
            let offset = takenFrames - start
            start += block.frameCount
            guard takenFrames < start else { continue }
            return switch block.sound {
            case .floats(let samples): writer?.tryWrite(samples.span, from: offset) ?? 0
            case .bytes(let bytes): writer?.tryWrite(bytes.span, from: offset) ?? 0
            }
        }
        return 0
    }

    /// Gives what was not played to another writer, if the graph has another rate.
    private mutating func followGraph() async throws {
        let rate = writer?.latency.sampleRate ?? 0
        guard rate > 0, rate != graphRate else { return }
        if takenFrames == 0 {
            // A converter that was made for an announced rate would go on resampling at this one.
            try writer?.setFormat(format)
        } else {
            takenFrames = max(playedFrames, firstFrame)
            earlierUnderruns += writer?.statistics.underruns ?? 0
            // The port has one writer at a time. What waits in this one is dropped when the next one is made.
            writer = nil
            while writer == nil {
                do {
                    writer = try await Self.make(port, format, latency)
                } catch let error as PipeBusError where error.code == .connectionLost || error.code == .timedOut {
                    // Until there is another daemon.
                    try await wait()
                }
            }
        }
        graphRate = rate
    }

    /// Waits a moment.
    ///
    /// - Throws: `PipeBusError` when the port or its client is closed.
    func wait() async throws {
        _ = try await port.statistics
        try await Task.sleep(for: .milliseconds(5))
    }

    /// Waits until the writer has given everything to the graph. Nothing may be added after that.
    ///
    /// - Throws: as `Writer.finish()`.
    mutating func finish() async throws {
        guard let last = writer.take() else { return }
        earlierUnderruns += last.statistics.underruns
        try await last.finish()
    }

    // MARK: Figures. They are mutating, since Swift does not lend the value of an optional otherwise.

    /// Number of the graph's frames that wait in the writer.
    var waitingFrames: Int {
        mutating get { writer?.latency.frames ?? 0 }
    }

    /// Number of frames that were played.
    var playedFrames: Int {
        mutating get {
            guard graphRate > 0 else { return 0 }
            let waiting = Double(waitingFrames) * Double(sampleRate) / Double(graphRate)
            return max(takenFrames - Int(waiting.rounded()), 0)
        }
    }

    /// Times that the sound did not come in time.
    var underruns: UInt64 {
        mutating get { earlierUnderruns + (writer?.statistics.underruns ?? 0) }
    }
}
