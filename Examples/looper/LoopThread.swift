// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import Synchronization
import ToolSupport

/// Reads, loops and writes on a thread of its own. Room in the writer is its clock: it goes at the pace of whatever hears the loop.
final class LoopThread: Sendable {
    private static let blockSize = 128

    private struct Ends: ~Copyable {
        var reader: Reader
        var writer: Writer
    }

    private let loop: Mutex<Loop>
    private let ends: Mutex<Ends?>
    private let isEnding = Atomic<Bool>(false)
    /// Frames of silence that were heard or recorded because the thread came too late.
    private let lostFrames = Atomic<UInt64>(0)
    /// Of the graph, in hertz.
    private let sampleRate = Atomic<Int>(0)

    init(_ loop: Loop, from input: ReceiverPort, to writer: consuming Writer) throws {
        self.loop = Mutex(loop)
        ends = Mutex(Ends(reader: try input.makeReader(blockSize: Self.blockSize), writer: writer))
    }

    func press() { loop.withLock { $0.advance() } }

    func end() { isEnding.store(true, ordering: .relaxed) }

    /// Runs until ``end()``.
    func run() {
        // They belong to one thread, which is now this one.
        guard var ends = ends.withLock({ $0.take() }) else { return }
        let capacity = ends.writer.writableFrames
        var block = [Float](repeating: 0, count: 2 * Self.blockSize)
        while !isEnding.load(ordering: .relaxed) {
            guard ends.writer.writableFrames >= Self.blockSize else {
                usleep(1000)
                continue
            }
            var samples = block.mutableSpan
            let result = ends.reader.read(into: &samples)
            // What is played now is heard when the full buffer is, and what is read now was made before that. Right to a cycle.
            let delay = capacity + ends.reader.latency.frames
            loop.withLock { $0.pass(&block, delay: delay, sampleRate: result.sampleRate) }
            _ = ends.writer.tryWrite(block.span)
            lostFrames.store(
                ends.writer.statistics.underrunFrames + ends.reader.statistics.lateFrames, ordering: .relaxed)
            sampleRate.store(result.sampleRate, ordering: .relaxed)
        }
    }

    /// The line for a terminal.
    func line(whileConnected isConnected: Bool) -> String {
        let (state, frames) = loop.withLock { ($0.state, $0.frameCount) }
        guard isConnected else { return "waiting until the output is connected" }
        let seconds = Decimal.text(Double(frames) / Double(max(sampleRate.load(ordering: .relaxed), 1)), digits: 1)
        return state == .empty ? "waiting for the return key or a sound" : "\(state.rawValue) a loop of \(seconds) s"
    }

    /// Prints the result at the end.
    func report() {
        let (state, frames) = loop.withLock { ($0.state, $0.frameCount) }
        let lost = lostFrames.load(ordering: .relaxed)
        Terminal.report(
            frames > 0 ? "The loop had \(frames) frames; \(lost) frames were lost." : "Nothing was recorded.",
            ["state": state.rawValue, "frames": "\(frames)", "lost_frames": "\(lost)"])
    }
}
