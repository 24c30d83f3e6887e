// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import Synchronization

/// Reads, loops and writes on a thread of its own. Room in the writer is its clock: it goes at the pace of whatever hears the loop.
final class LoopThread: Sendable {
    private static let blockSize = 128

    private struct Ends: ~Copyable {
        var reader: Reader
        var writer: Writer
    }

    private let ends: Mutex<Ends?>
    private let isEnding = Atomic<Bool>(false)
    let loop: Mutex<Loop>
    /// Frames of silence that were heard or recorded because the thread came too late.
    let lostFrames = Atomic<UInt64>(0)

    init(_ loop: Loop, from input: ReceiverPort, to writer: consuming Writer) throws {
        self.loop = Mutex(loop)
        ends = Mutex(Ends(reader: try input.makeReader(blockSize: Self.blockSize), writer: writer))
    }

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
            let rate = ends.reader.read(into: &samples).sampleRate
            // What is played now is heard when the full buffer is, and what is read now was made before that. Right to a cycle.
            let delay = capacity + ends.reader.latency.frames
            loop.withLock { $0.pass(&block, delay: delay, sampleRate: rate) }
            _ = ends.writer.tryWrite(block.span)
            let lost = ends.writer.statistics.underrunFrames + ends.reader.statistics.lateFrames
            lostFrames.store(lost, ordering: .relaxed)
        }
    }
}
