// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The record of a block before each cycle, and of the ports' blocks.
final class CycleLog: Sendable {
    private let position = Atomic<UInt64>(.max)
    private let start = Atomic<UInt64>(.max)
    private let runCount = Atomic<UInt64>(0)
    private let repeatCount = Atomic<UInt64>(0)
    private let missCount = Atomic<UInt64>(0)
    private let blockCount = Atomic<UInt64>(0)
    private let missedFrameCount = Atomic<UInt64>(0)

    func noteCycle(_ cycle: AudioCycle) {
        if position.load(ordering: .relaxed) == cycle.position,
            start.load(ordering: .relaxed) == cycle.startTime.nanoseconds
        {
            repeatCount.add(1, ordering: .relaxed)
        }
        position.store(cycle.position, ordering: .relaxed)
        start.store(cycle.startTime.nanoseconds, ordering: .relaxed)
        runCount.add(1, ordering: .relaxed)
        missedFrameCount.add(UInt64(cycle.missedFrames), ordering: .relaxed)
    }

    func noteBlock(_ cycle: AudioCycle) {
        if position.load(ordering: .relaxed) != cycle.position { missCount.add(1, ordering: .relaxed) }
        blockCount.add(1, ordering: .relaxed)
    }

    /// Times that it ran before a cycle.
    var runs: UInt64 { runCount.load(ordering: .relaxed) }
    /// Number of cycles in which it ran again.
    var repeats: UInt64 { repeatCount.load(ordering: .relaxed) }
    /// Calls of the ports' blocks.
    var blocks: UInt64 { blockCount.load(ordering: .relaxed) }
    /// Number of cycles of a port before which it did not run.
    var misses: UInt64 { missCount.load(ordering: .relaxed) }
    var missedFrames: UInt64 { missedFrameCount.load(ordering: .relaxed) }
}

extension BusClient {
    func beforeCycle(_ log: CycleLog) async throws {
        try await beforeCycle(state: log) { log, cycle in log.noteCycle(cycle) }
    }

    func sender(_ name: String, after: [String] = [], noting log: CycleLog) async throws -> SenderPort {
        try await sender(name, after: after, state: log) { log, cycle, _ in log.noteBlock(cycle) }
    }

    func filter(_ name: String, noting log: CycleLog) async throws -> FilterPort {
        try await filter(name, state: log) { log, cycle, _, _ in log.noteBlock(cycle) }
    }

    func receiver(_ name: String, noting log: CycleLog) async throws -> ReceiverPort {
        try await receiver(name, fade: .none, state: log) { log, cycle, _ in log.noteBlock(cycle) }
    }
}
