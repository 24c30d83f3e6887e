// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit

@testable import PipeBus

/// A writer of one channel without PipeWire: the real audio side, and cycles made by the test.
@safe final class WriterRig {
    private let memory: WriterMemory
    private var input: WriterInput
    private let samples = OwnedCells<Float>(repeating: 0, count: AudioCycle.maximumFrameCount)
    private let rows: OwnedCells<UnsafeMutablePointer<Float>?>
    private var position = 4096

    init(bufferSize: Int) {
        memory = WriterMemory(channelCount: 1, limit: bufferSize, liveLatency: nil)
        input = WriterInput(.float32, memory: memory, graphRate: 48_000, ownClockLatency: nil)
        let cells = samples.cells
        unsafe rows = unsafe OwnedCells(count: 1) { _ in unsafe cells.pointer(at: 0) }
    }

    var underruns: UInt64 { memory.ring.value.counts.underruns }

    /// - Returns: the number of frames that were taken.
    func write(_ block: [Float]) -> Int {
        memory.ring.value.note(writing: min(block.count, memory.ring.value.writableFrames))
        return unsafe block.withUnsafeBytes { unsafe input.write($0.baseAddress!, block.count, into: memory.ring) }
    }

    /// Runs one cycle.
    func run(_ frames: Int) -> [Float] {
        let rows = unsafe rows.cells.pointer(at: 0)
        let nanoseconds = 1_000_000_000 + UInt64(position) * 1_000_000_000 / 48_000
        var cycle = unsafe crt_cycle(
            position: UInt64(position), nanoseconds: nanoseconds, frames: UInt32(frames), rate: 48_000, clock: 1,
            is_freewheeling: false, is_discontinuous: false, inputs: rows, outputs: rows)
        let given = unsafe withUnsafePointer(to: &cycle) { pointer in
            AudioCycle(
                unsafe unsafeBitCast(pointer, to: GraphCycle.self),
                at: GraphMoment(position: UInt64(position), clock: 1), missedFrames: 0, isDiscontinuous: false,
                status: PortStatus(rawValue: 0), load: PortLoad(mean: 0, maximum: 0), xrunCount: 0)
        }
        var output = unsafe OutputChannels(CycleBuffers(rows, frameCount: frames), count: 1)
        memory.core.value.run(given, &output)
        position += frames
        return (0..<frames).map { samples.cells[$0] }
    }
}
