// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit

@testable import PipeBus

/// The cycles of a sender without PipeWire, of two channels.
///
/// - Thread: one, as its audio thread.
@safe final class HammeredOutput {
    private let samples: OwnedCells<Float>
    private let rows: OwnedCells<UnsafeMutablePointer<Float>?>

    init() {
        samples = OwnedCells(repeating: 0, count: 2 * AudioCycle.maximumFrameCount)
        let cells = samples.cells
        unsafe rows = unsafe OwnedCells(count: 2) { unsafe cells.pointer(at: $0 * AudioCycle.maximumFrameCount) }
    }

    /// The samples of the last cycle.
    func channel(_ channel: Int) -> UnsafePointer<Float> {
        unsafe UnsafePointer(samples.cells.pointer(at: channel * AudioCycle.maximumFrameCount))
    }

    /// Runs one cycle. What is not filled is silent.
    ///
    /// - Parameter sampleRate: of the cycle, in hertz. A fade lasts 5 ms.
    func run(
        _ frames: Int, at position: Int, sampleRate: Int = HammeredReceiver.sampleRate,
        _ body: (_ cycle: AudioCycle, _ output: inout OutputChannels) -> Void
    ) {
        let rows = unsafe rows.cells.pointer(at: 0)
        var cycle = unsafe crt_cycle(
            position: UInt64(position), nanoseconds: HammeredReceiver.time(of: position), frames: UInt32(frames),
            rate: UInt32(sampleRate), clock: 1, is_freewheeling: false, is_discontinuous: false,
            inputs: rows, outputs: rows)
        let given = unsafe withUnsafePointer(to: &cycle) { pointer in
            AudioCycle(
                unsafe unsafeBitCast(pointer, to: GraphCycle.self),
                at: GraphMoment(position: UInt64(position), clock: 1), missedFrames: 0, isDiscontinuous: false,
                status: PortStatus(rawValue: 0), load: PortLoad(mean: 0, maximum: 0), xrunCount: 0)
        }
        var output = unsafe OutputChannels(CycleBuffers(rows, frameCount: frames), count: 2)
        body(given, &output)
        output.silenceRest()
    }
}
