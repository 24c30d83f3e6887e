// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTesting
import Synchronization

/// The state that a port's process block is given: it makes or checks a signal, and keeps count. The control side reads
/// the count through the same pointer.
///
/// - Realtime: safe, except ``report``.
@safe struct PortProbe: @unchecked Sendable {
    // @unchecked: everything in the memory belongs to the audio thread; the version shows the control side whether its
    // copy is whole. The memory is never freed, so no owner has to free it.
    let memory: UnsafeMutablePointer<Memory>

    @unsafe struct Memory: ~Copyable {
        let signal: TestSignal
        /// Whether the signal goes by the graph's position instead of by the frames that were passed. A plain flag: comparing
        /// an enum with a raw type asks the runtime for its metadata.
        let followsPosition: Bool
        let checks: Bool
        let checksSums: Bool
        let sums = SumProbe()
        /// The frame of the signal, by the signal's clock.
        var frame: UInt64 = 0
        var hasStarted = false
        /// The length of the last cycle.
        var lastFrameCount: UInt64 = 0
        /// Sound was heard.
        var hasBegun = false
        var counts = PeerCounts()
        var gaps = FrameRanges()
        var breaks = FrameRanges()
        var wrongRanges = FrameRanges()
        /// Odd while the audio thread is at it.
        let version = Atomic<UInt64>(0)
        let isToRecount = Atomic<Bool>(false)
        /// For how long the next call does not return.
        let hangNanoseconds = Atomic<Int>(0)
        /// Whether a call that does not return is to return now.
        let isReleased = Atomic<Bool>(false)

        init(_ signal: PeerSignal?) {
            unsafe self.signal = signal?.signal ?? .constant(0)
            unsafe followsPosition = signal?.clock == .position
            unsafe checksSums = signal?.clock == .sum
            unsafe checks = signal != nil && signal?.clock != .sum
        }
    }

    init(_ signal: PeerSignal?) {
        unsafe memory = .allocate(capacity: 1)
        unsafe memory.initialize(to: Memory(signal))
    }

    // MARK: Audio thread

    func send(_ cycle: AudioCycle, _ output: inout OutputChannels) {
        unsafe memory.pointee.hangIfAsked()
        unsafe memory.pointee.begin(cycle)
        let signal = unsafe memory.pointee.signal
        let frame = unsafe memory.pointee.frame
        for channel in 0..<output.count {
            var samples = output[channel]
            signal.fill(&samples, from: frame, channel: channel)
        }
        unsafe memory.pointee.end(cycle)
    }

    func pass(_ cycle: AudioCycle, _ input: borrowing InputChannels, _ output: inout OutputChannels) {
        unsafe memory.pointee.hangIfAsked()
        unsafe memory.pointee.begin(cycle)
        for channel in 0..<output.count {
            let from = input[channel]
            var to = output[channel]
            unsafe to.withUnsafeMutableBufferPointer { to in
                unsafe from.withUnsafeBufferPointer {
                    unsafe to.baseAddress!.update(from: $0.baseAddress!, count: $0.count)
                }
            }
        }
        if unsafe memory.pointee.checks { unsafe memory.pointee.check(cycle, input) }
        if unsafe memory.pointee.checksSums { unsafe memory.pointee.sums.check(cycle, input[0]) }
        unsafe memory.pointee.end(cycle)
    }

    func receive(_ cycle: AudioCycle, _ mix: borrowing InputChannels) {
        unsafe memory.pointee.hangIfAsked()
        unsafe memory.pointee.begin(cycle)
        if unsafe memory.pointee.checks { unsafe memory.pointee.check(cycle, mix) }
        if unsafe memory.pointee.checksSums { unsafe memory.pointee.sums.check(cycle, mix[0]) }
        unsafe memory.pointee.end(cycle)
    }

    // MARK: Control side

    func hang(for seconds: Double) {
        unsafe memory.pointee.isReleased.store(false, ordering: .relaxed)
        // Release and acquire: a call that takes the time finds it not released.
        unsafe memory.pointee.hangNanoseconds.store(Int(seconds * 1e9), ordering: .releasing)
    }

    func release() { unsafe memory.pointee.isReleased.store(true, ordering: .relaxed) }

    func recount() { unsafe memory.pointee.isToRecount.store(true, ordering: .relaxed) }

    /// How the port fared, as of the end of one cycle.
    var report: PeerReport {
        while true {
            // Acquire: pairs with the audio thread's release in `end`, so that what it wrote is there.
            let before = unsafe memory.pointee.version.load(ordering: .acquiring)
            let report = unsafe PeerReport(
                counts: memory.pointee.counts, gaps: memory.pointee.gaps.ranges, breaks: memory.pointee.breaks.ranges,
                wrongRanges: memory.pointee.wrongRanges.ranges)
            atomicMemoryFence(ordering: .acquiring)
            if before.isMultiple(of: 2), unsafe memory.pointee.version.load(ordering: .relaxed) == before {
                return report
            }
        }
    }
}
