// SPDX-License-Identifier: MIT
package import PipeBus
package import PipeBusTesting
import Synchronization

/// Checks a sum of counting signals, whatever sources it has, at volumes of 1, 1/2, 1/4 and 0: each sample is by the same
/// number more than the last one. That number is the sum of the sources' volumes.
///
/// - Realtime: safe, except ``report``.
@safe package struct SumProbe: @unchecked Sendable {
    // @unchecked: everything in the memory belongs to the audio thread; the version shows the control side whether its
    // copy is whole. The memory is never freed, so no owner has to free it.
    private let memory: UnsafeMutablePointer<Memory>

    /// What senders send. Sums of 16 are exact, as are sums of four `clock-sender`s.
    package static let signal = TestSignal(.counting, gain: 1 / 1_048_576, modulus: 1 << 18)

    fileprivate static let lastBreakCount = 256

    @unsafe fileprivate struct Memory: ~Copyable {
        // Plain numbers; the lists are apart, since a report's arrays are not for the audio thread.
        var resets: UInt64 = 0
        var cycles: UInt64 = 0
        var slope: Int32 = -2
        /// The last step, which becomes the slope if the next one is equal.
        var candidate: Int32 = -2
        /// The last sample in quarters of a count; −1 if it was none.
        var last: Int32 = -1
        var steadyFrames: UInt64 = 0
        var breaks: UInt64 = 0
        var onsets: UInt64 = 0
        var missedFrames: UInt64 = 0
        var frameCount = 0
        var sampleRate = 0
        let lastBreaks = UnsafeMutablePointer<SumBreak>.allocate(capacity: lastBreakCount)
        let lastOnsets = UnsafeMutablePointer<SumBreak>.allocate(capacity: lastBreakCount)
        var lastStart: UInt64 = 0
        var broken = FrameRanges()
        var marks = FrameRanges()
        let version = Atomic<UInt64>(0)
        let isToReset = Atomic<Bool>(false)

        init() {}
    }

    package init() {
        unsafe memory = .allocate(capacity: 1)
        unsafe memory.initialize(to: Memory())
    }

    // MARK: Audio thread

    /// Notes what a cycle says about itself. Of every port, once in each cycle.
    @_noLocks
    package func begin(_ cycle: AudioCycle) {
        unsafe memory.pointee.version.add(1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        if unsafe memory.pointee.isToReset.exchange(false, ordering: .relaxed) { unsafe memory.pointee.reset() }
        let start = cycle.startTime.nanoseconds
        if cycle.isDiscontinuous {
            let before = unsafe memory.pointee.lastStart
            unsafe memory.pointee.marks.append(from: before == 0 ? start : min(before, start), to: Self.end(of: cycle))
            unsafe memory.pointee.missedFrames += UInt64(cycle.missedFrames)
        }
        unsafe memory.pointee.lastStart = start
        unsafe memory.pointee.cycles += 1
        unsafe memory.pointee.frameCount = cycle.frameCount
        unsafe memory.pointee.sampleRate = cycle.sampleRate
    }

    /// Of every port, at the end of each cycle.
    @_noLocks
    package func end() {
        // Release: pairs with the control side's acquire in `report`.
        unsafe memory.pointee.version.add(1, ordering: .releasing)
    }

    /// Checks a cycle's samples.
    @_noLocks
    package func check(_ cycle: AudioCycle, _ samples: Span<Float>) {
        let isBroken = unsafe samples.withUnsafeBufferPointer {
            unsafe memory.pointee.check($0, in: cycle.startTime.nanoseconds)
        }
        if isBroken {
            unsafe memory.pointee.broken.append(from: cycle.startTime.nanoseconds, to: Self.end(of: cycle))
        }
    }

    @_noLocks
    private static func end(of cycle: AudioCycle) -> UInt64 {
        cycle.startTime.nanoseconds + UInt64(cycle.frameCount) * 1_000_000_000 / UInt64(max(cycle.sampleRate, 1))
    }

    // MARK: Control side

    /// By how much the second count is after the first one, in the shorter direction.
    static func difference(from first: Int32, to second: Int32) -> Int32 {
        let (half, mask): (Int32, Int32) = (1 << 17, (1 << 18) - 1)
        return ((second &- first &+ half) & mask) - half
    }

    package func reset() { unsafe memory.pointee.isToReset.store(true, ordering: .relaxed) }

    /// What was heard, as of the end of one cycle.
    package var report: SumReport {
        while true {
            // Acquire: pairs with the audio thread's release in `end`, so that what it wrote is there.
            let before = unsafe memory.pointee.version.load(ordering: .acquiring)
            let report = unsafe memory.pointee.report
            atomicMemoryFence(ordering: .acquiring)
            if before.isMultiple(of: 2), unsafe memory.pointee.version.load(ordering: .relaxed) == before {
                return report
            }
        }
    }
}

extension SumProbe.Memory {
    @_noLocks
    fileprivate mutating func reset() {
        unsafe resets += 1
        unsafe cycles = 0
        unsafe breaks = 0
        unsafe onsets = 0
        unsafe missedFrames = 0
        unsafe broken.removeAll()
        unsafe marks.removeAll()
    }

    /// Returns whether the sound broke.
    @_noLocks
    fileprivate mutating func check(_ samples: UnsafeBufferPointer<Float>, in cycle: UInt64) -> Bool {
        guard let base = samples.baseAddress else { return false }
        let breaksBefore = unsafe breaks
        let mask: Int32 = (1 << 18) - 1
        let frames = samples.count
        var (last, slope, candidate, steady) = unsafe (last, slope, candidate, steadyFrames)
        // Not `for`: in a debug build a range's iterator costs more than all the rest.
        var index = 0
        while index < frames {
            let sample = unsafe base[index] * 4_194_304
            var count: Int32 = -1
            if sample >= 0, sample < 16_777_216 {
                let whole = Int32(sample)
                if Float(whole) == sample { count = whole & mask }
            }
            let step = count >= 0 && last >= 0 ? (count &- last) & mask : -1
            if step == slope && step >= 0 {
                steady &+= 1
            } else {
                if step >= 0 && step == candidate && steady == 0 {
                    // The second frame of a new slope is no break of its own.
                    slope = step
                } else if slope == -2 || slope == 0 && last == 0 {
                    // The next frame shows the new slope, and is no break either.
                    unsafe note(onset: SumBreak(cycle: cycle, frame: index, before: last, after: count))
                    slope = -2
                } else {
                    unsafe note(SumBreak(cycle: cycle, frame: index, before: last, after: count))
                }
                candidate = step
                steady = 0
            }
            last = count
            index += 1
        }
        unsafe (self.last, self.slope, self.candidate, steadyFrames) = (last, slope, candidate, steady)
        return unsafe breaks != breaksBefore
    }

    @_noLocks
    private mutating func note(_ found: SumBreak) {
        unsafe (lastBreaks + Int(breaks % UInt64(SumProbe.lastBreakCount))).initialize(to: found)
        unsafe breaks += 1
    }

    @_noLocks
    private mutating func note(onset: SumBreak) {
        unsafe (lastOnsets + Int(onsets % UInt64(SumProbe.lastBreakCount))).initialize(to: onset)
        unsafe onsets += 1
    }

    fileprivate var report: SumReport {
        var report = SumReport()
        report.resets = unsafe resets
        report.cycles = unsafe cycles
        report.slope = unsafe slope
        report.steadyFrames = unsafe steadyFrames
        report.breaks = unsafe breaks
        report.onsets = unsafe onsets
        report.missedFrames = unsafe missedFrames
        report.frameCount = unsafe frameCount
        report.sampleRate = unsafe sampleRate
        let kept = Int(min(unsafe breaks, UInt64(SumProbe.lastBreakCount)))
        report.lastBreaks = (0..<kept).map { unsafe lastBreaks[$0] }
        let keptOnsets = Int(min(unsafe onsets, UInt64(SumProbe.lastBreakCount)))
        report.lastOnsets = (0..<keptOnsets).map { unsafe lastOnsets[$0] }
        report.lastStart = unsafe lastStart
        report.broken = unsafe broken.ranges
        report.marks = unsafe marks.ranges
        return report
    }
}
