// SPDX-License-Identifier: MIT
import CRealtime
import ConnectionGraph
import RealtimeKit
import Synchronization

@testable import PipeBus

/// A receiver without PipeWire, with a source on each lane that sends a ``CountingSound``. One thread is its audio thread, another its
/// control side.
@safe final class HammeredReceiver: @unchecked Sendable {
    // @unchecked: `position` and the rows belong to the audio thread, `control` to the control side.
    let memory: PortMemory
    private let sound: CountingSound
    private let laneCount: Int
    private var control: ReceiverControl
    private let call: crt_call
    private let inputs: OwnedCells<UnsafeMutablePointer<Float>?>
    private let outputs: OwnedCells<UnsafeMutablePointer<Float>?>
    /// The place of the next cycle.
    private(set) var position = 0

    static let width = 2
    static let sampleRate = 48_000

    init(lanes: Int = 1, isSeparate: Bool = false, sound: CountingSound) {
        self.sound = sound
        laneCount = lanes
        let plan = PortMemory.ReceiverPlan(laneCount: lanes, alignment: .immediate, fade: .none)
        let realtime: RealtimeCall
        if isSeparate {
            let block: @Sendable (inout Int, AudioCycle, borrowing ReceivedSources) -> Void = { _, _, _ in }
            memory = try! PortMemory(
                state: 0, block: block, blockInputCount: Self.width, outputCount: 0, receiver: plan)
            realtime = RealtimeCall.receiver(SeparateReceiverBlockHolder(block: block))
        } else {
            let block: @Sendable (inout Int, AudioCycle, borrowing ReceivedMix) -> Void = { _, _, _ in }
            memory = try! PortMemory(
                state: 0, block: block, blockInputCount: Self.width, outputCount: 0, receiver: plan)
            realtime = RealtimeCall.receiver(ReceiverBlockHolder(block: block))
        }
        unsafe call = realtime.words(core: UnsafeMutableRawPointer(memory.core.pointer))
        control = ReceiverControl(
            memory: memory.receiver!, laneCount: lanes, width: Self.width, alignment: .immediate, fade: .none,
            panLaw: .balance, sourceCounts: [])
        unsafe inputs = unsafe OwnedCells(count: lanes * Self.width) { _ in nil }
        unsafe outputs = unsafe OwnedCells(count: 1) { _ in nil }
        for lane in 0..<lanes {
            let facts = GraphReducer.SourceFacts(
                applicationID: "org.example.source", nodeName: "source \(lane)", outputCount: Self.width)
            control.updateLane(
                lane,
                with: LaneTable.LinkSummary(
                    sources: [UInt64(lane + 1)], outputCount: Self.width, channels: Set(0..<Self.width)),
                latency: 0...0, facts: { _ in facts }, level: { _ in Source.Level() })
        }
        control.publish()
        memory.core.value.connectionEpoch.add(1, ordering: .relaxed)
        memory.core.value.isLinked.store(true, ordering: .releasing)
    }

    var streams: StreamTable { memory.receiver!.streams }

    /// Publishes the settings of all lanes once more. Called by the control side.
    func publish() { control.publish() }

    /// Runs one cycle. Called by the audio thread.
    func run(_ frames: Int) {
        for lane in 0..<laneCount {
            for channel in 0..<Self.width {
                // Only read from, although PipeWire's type does not say so.
                unsafe inputs.cells[lane * Self.width + channel] = unsafe UnsafeMutablePointer(
                    mutating: sound.samples(from: position, channel: lane * Self.width + channel))
            }
        }
        var cycle = unsafe crt_cycle(
            position: UInt64(position), nanoseconds: Self.time(of: position), frames: UInt32(frames),
            rate: UInt32(Self.sampleRate), clock: 1, is_freewheeling: false, is_discontinuous: false,
            inputs: inputs.cells.pointer(at: 0), outputs: outputs.cells.pointer(at: 0))
        var call = unsafe call
        unsafe crt_run(&call, &cycle)
        position += frames
    }

    /// The time of a place, in nanoseconds.
    static func time(of position: Int) -> UInt64 {
        1_000_000_000 + UInt64(position) * 1_000_000_000 / UInt64(sampleRate)
    }
}
