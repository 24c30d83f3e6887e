// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTesting
import RealtimeKit
import Synchronization
import ToolSupport

/// The two ends of a chain: what goes into the graph, and what comes out of it, cycle by cycle.
///
/// A cycle is exact or it is an error: each end has run once in it, and has passed on all of its frames.
final class RenderSound: Sendable {
    let sender: SenderPort
    let receiver: ReceiverPort
    let inputCount: Int
    let outputCount: Int
    /// Frames in a cycle.
    let quantum: Int
    private let stepper: GraphStepper
    private let ends: Mutex<Ends>
    private let gaps: Gaps

    /// The most frames that are in the graph's ends at a time.
    private static let mostFrames = 16_384

    private struct Ends: ~Copyable {
        var input: SampleRing.Writer
        var output: SampleRing.Reader
    }

    /// Set on the audio thread, read between two cycles. Relaxed: the stepper orders them.
    private final class Gaps: Sendable {
        let count = Atomic<Int>(0)
        func note(_ isOne: Bool) { if isOne { count.add(1, ordering: .relaxed) } }
        /// Number since the last call.
        func take() -> Int { count.exchange(0, ordering: .relaxed) }
    }

    private struct Source: ~Copyable, Sendable {
        var ring: SampleRing.Reader
        let gaps: Gaps
    }

    private struct Destination: ~Copyable, Sendable {
        var ring: SampleRing.Writer
        let gaps: Gaps
    }

    init(on stage: RenderStage, inputs: Int, outputs: Int, quantum: Int) async throws {
        let batch = max(Self.mostFrames / quantum, 1) * quantum
        let input = SampleRing(channelCount: inputs, minimumCapacity: batch)
        let output = SampleRing(channelCount: outputs, minimumCapacity: batch)
        let gaps = Gaps()
        sender = try await stage.bus.sender(
            "in", title: "File", channels: .channels(inputs), state: Source(ring: input.makeReader(), gaps: gaps)
        ) { source, cycle, output in
            let frames = source.ring.read(into: &output)
            source.gaps.note(frames < cycle.frameCount || cycle.missedFrames > 0)
        }
        receiver = try await stage.bus.receiver(
            "out", title: "Render", channels: .channels(outputs), lanes: 1, alignment: .immediate, fade: .none,
            panLaw: .balance, state: Destination(ring: output.makeWriter(), gaps: gaps)
        ) { destination, cycle, mix in
            let isWritten = destination.ring.tryWrite(mix.channels)
            destination.gaps.note(!isWritten || cycle.missedFrames > 0)
        }
        (inputCount, outputCount, self.quantum) = (inputs, outputs, quantum)
        stepper = stage.stepper
        ends = Mutex(Ends(input: input.makeWriter(), output: output.makeReader()))
        self.gaps = gaps
    }

    /// The most cycles of one ``pass(_:within:)``.
    var batch: Int { max(Self.mostFrames / quantum, 1) }

    /// Sends whole cycles through the chain.
    ///
    /// - Parameters:
    ///   - samples: interleaved, of the sender's channels.
    ///   - limit: time limit for each cycle.
    /// - Returns: as many frames, interleaved, of the receiver's channels; `nil` if an end did not run in each cycle.
    /// - Throws: ``TestKitError`` if a cycle was not finished.
    func pass(_ samples: [Float], within limit: Duration) async throws -> [Float]? {
        let frames = samples.count / inputCount
        precondition(frames <= batch * quantum && frames.isMultiple(of: quantum), "only whole cycles are run")
        ends.withLock { ends in _ = ends.input.tryWrite(samples.span) }
        try await stepper.step(quantum, cycles: frames / quantum, timeout: limit)
        return ends.withLock { ends -> [Float]? in
            let isComplete = ends.output.readableFrames == frames && ends.input.writableFrames >= batch * quantum
            var result = [Float](repeating: 0, count: ends.output.readableFrames * outputCount)
            var span = result.mutableSpan
            _ = ends.output.read(into: &span)
            return isComplete && gaps.take() == 0 ? result : nil
        }
    }
}
