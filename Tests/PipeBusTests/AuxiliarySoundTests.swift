// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import XCTest

@testable import PipeBus

/// The sound of an auxiliary input is taken in the cycle in which it came.
final class AuxiliarySoundTests: XCTestCase {
    /// Puts silence in during one cycle, and looks for it in another one.
    private func isFound(in other: AudioCycle, from cycle: AudioCycle) -> Bool {
        let rig = ReceiverRig(lanes: 1, width: 1)
        let samples = OwnedCells<Float>(repeating: 0, count: BlockPool.sampleCount(blocks: 1))
        var sound = AuxiliarySound(channelCount: 1, firstChannel: 1, isAligned: true, pool: BlockPool(samples.cells))
        let receiver = rig.memory.receiver!
        sound.put(ReceivedMix(receiver: receiver.core, cycle: cycle), cycle)
        sound.find(other)
        return sound.isPresent
    }

    private func cycle(
        position: UInt64 = 4096, clock: UInt32 = 1, nanoseconds: UInt64 = 1_000_000_000, frames: UInt32 = 256
    ) -> AudioCycle {
        // It has no channels, so nothing reads the rows.
        var channel: UnsafeMutablePointer<Float>?
        return unsafe withUnsafeMutablePointer(to: &channel) { channels in
            var cycle = unsafe crt_cycle(
                position: position, nanoseconds: nanoseconds, frames: frames, rate: 48_000, clock: 1,
                is_freewheeling: false, is_discontinuous: false, inputs: channels, outputs: channels)
            return unsafe withUnsafePointer(to: &cycle) { pointer in
                AudioCycle(
                    unsafe unsafeBitCast(pointer, to: GraphCycle.self),
                    at: GraphMoment(position: position, clock: clock), missedFrames: 0, isDiscontinuous: false,
                    status: PortStatus(rawValue: 0), load: PortLoad(mean: 0, maximum: 0), xrunCount: 0)
            }
        }
    }

    func testItIsThatOfItsCycleAlone() {
        XCTAssertTrue(isFound(in: cycle(), from: cycle()))
        XCTAssertFalse(isFound(in: cycle(position: 4352, nanoseconds: 1_005_333_333), from: cycle()))
        XCTAssertFalse(isFound(in: cycle(frames: 255), from: cycle()))
    }

    /// PipeWire may process both by another thread than the app's first port. Then each has a count of its own.
    func testTwoTimelinesAreComparedByTheTime() {
        XCTAssertTrue(isFound(in: cycle(position: 4352, clock: 3), from: cycle(position: 4096, clock: 2)))
    }

    func testADriverWithoutTimesIsComparedByThePosition() {
        let timeless = cycle(clock: 2, nanoseconds: 0)
        XCTAssertTrue(isFound(in: cycle(clock: 3, nanoseconds: 0), from: timeless))
        XCTAssertFalse(isFound(in: cycle(position: 4352, clock: 2, nanoseconds: 0), from: timeless))
    }
}
