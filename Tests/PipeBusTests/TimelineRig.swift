// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit

@testable import PipeBus

/// A timeline, and the cycles that come.
struct TimelineRig {
    var frames: UInt32 = 480
    var rate: UInt32 = 48_000
    private let memory: TimelineMemory

    init() { memory = TimelineMemory() }
    init(_ memory: TimelineMemory) { self.memory = memory }

    var timeline: GraphTimeline { memory.cell.value }

    /// Another timeline of the same app, in the same state.
    func makeOther() -> TimelineRig { TimelineRig(TimelineMemory(timeline, sharingNumbersWith: memory)) }

    func endSession() { memory.cell.value.endSession() }

    func come(
        at position: UInt64, milliseconds: Double, id: UInt32 = 1, isFreewheeling: Bool = false
    ) -> GraphMoment {
        come(at: position, nanoseconds: UInt64(milliseconds * 1_000_000), id: id, isFreewheeling: isFreewheeling)
    }

    func come(at position: UInt64, nanoseconds: UInt64, id: UInt32, isFreewheeling: Bool) -> GraphMoment {
        // It has no channels, so nothing reads the rows.
        var channel: UnsafeMutablePointer<Float>?
        return unsafe withUnsafeMutablePointer(to: &channel) { channels in
            var cycle = unsafe crt_cycle(
                position: position, nanoseconds: nanoseconds, frames: frames, rate: rate, clock: id,
                is_freewheeling: isFreewheeling, is_discontinuous: false, inputs: channels, outputs: channels)
            return unsafe withUnsafePointer(to: &cycle) { pointer in
                memory.cell.value.advance(to: unsafe unsafeBitCast(pointer, to: GraphCycle.self))
            }
        }
    }
}
