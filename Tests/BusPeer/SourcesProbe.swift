// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTesting
import Synchronization

/// Checks the sources of a receiver of separate streams, each of which counts its own frames. They are known by their tags.
final class SourcesProbe: Sendable {
    private struct Memory {
        var cycles = PeerCycles()
        var position: UInt64 = 0
        var clock: GraphClock?
        /// Duration of the last cycle, in nanoseconds.
        var duration: UInt64 = 0
        var wasMarked = false
        /// The next frame of each source, by its tag.
        var next: [UInt64: UInt64] = [:]
        /// Silent frames of each source since its last sound, by its tag. No entry: no sound since it came, or since the last mark.
        var silences: [UInt64: UInt64] = [:]
        /// Faults of the last cycle, which may be explained by this one's mark.
        var faults: [UInt64: UInt64] = [:]
    }

    private let memory = Mutex(Memory())

    var cycles: PeerCycles { memory.withLock { $0.cycles } }

    func forget() {
        memory.withLock { memory in
            memory.cycles = PeerCycles()
            memory.faults = [:]
            memory.silences = [:]
        }
    }

    func receive(_ cycle: AudioCycle, _ sources: borrowing ReceivedSources) {
        var memory = self.memory.withLock { $0 }
        let cycles = memory.cycles.cycles
        Self.note(cycle, in: &memory)
        let silences = memory.silences
        memory.silences = [:]
        for lane in 0..<sources.count {
            guard let source = sources[lane], source.tag > 0 else { continue }
            memory.silences[source.tag] = cycle.isDiscontinuous ? nil : silences[source.tag]
            Self.check(sources.samples(ofLane: lane, channel: 0), of: source.tag, in: cycle, &memory)
        }
        memory.wasMarked = cycle.isDiscontinuous
        memory.duration = UInt64(cycle.frameCount) * 1_000_000_000 / UInt64(max(cycle.sampleRate, 1))
        // Unless it was told to forget meanwhile.
        let result = memory
        self.memory.withLock { if $0.cycles.cycles == cycles { $0 = result } }
    }

    private static func note(_ cycle: AudioCycle, in memory: inout Memory) {
        if !cycle.isDiscontinuous {
            for (tag, faults) in memory.faults { memory.cycles.hearings[tag]?.unmarked += faults }
        }
        memory.faults = [:]
        memory.cycles.cycles += 1
        memory.cycles.missedFrames += UInt64(cycle.missedFrames)
        if cycle.position < memory.position { memory.cycles.stepsBack += 1 }
        memory.position = cycle.position
        if memory.clock != cycle.clock { memory.cycles.clocks += 1 }
        memory.clock = cycle.clock
        memory.cycles.longestCycle = max(memory.cycles.longestCycle, cycle.frameCount)
        memory.cycles.shortestCycle =
            memory.cycles.shortestCycle == 0 ? cycle.frameCount : min(memory.cycles.shortestCycle, cycle.frameCount)
        memory.cycles.lastCycle = cycle.frameCount
        memory.cycles.sampleRate = cycle.sampleRate
        memory.cycles.sampleRates.insert(cycle.sampleRate)
    }

    private static func check(
        _ samples: Span<Float>, of tag: UInt64, in cycle: AudioCycle, _ memory: inout Memory
    ) {
        let signal = TestSignal.counting
        var hearing = memory.cycles.hearings[tag] ?? PeerHearing()
        var faults: UInt64 = 0
        var isHeard = false
        if let next = memory.next[tag],
            signal.firstDifference(in: samples, frame: next, channel: 0) == nil
        {
            hearing.right += UInt64(samples.count)
            memory.next[tag] = next + UInt64(samples.count)
            isHeard = true
        } else {
            for index in samples.indices {
                let sample = samples[index]
                if sample == 0 {
                    if isHeard { faults += 1 }
                } else if let found = signal.frame(of: sample).map(UInt64.init) {
                    isHeard = true
                    if let next = memory.next[tag] {
                        let modulus = UInt64(signal.modulus)
                        let ahead = (found &- next) & (modulus - 1)
                        if ahead < modulus / 2 { hearing.missing += ahead } else { hearing.repeated += modulus - ahead }
                        if ahead > 0 { faults += 1 }
                    }
                    hearing.right += 1
                    memory.next[tag] = found + 1
                } else {
                    hearing.wrong += 1
                    faults += 1
                }
            }
        }
        if isHeard {
            // Not the cycle's start, which lags while a driver makes up for missing cycles.
            let now = BusPeer.now
            let pause = now &- hearing.last
            if hearing.last == 0 || pause > memory.duration * 3 / 2 + 1_000_000 {
                // The first sound after a pause follows no frame.
                faults = 0
                hearing.began = now
                if hearing.last > 0 { hearing.longestPause = max(hearing.longestPause, pause - memory.duration) }
            }
            hearing.last = now
            hearing.silent += memory.silences[tag] ?? 0
            memory.silences[tag] = 0
        } else {
            memory.silences[tag]? += UInt64(samples.count)
        }
        memory.cycles.hearings[tag] = hearing
        if faults > 0, !cycle.isDiscontinuous, !memory.wasMarked { memory.faults[tag] = faults }
    }
}
