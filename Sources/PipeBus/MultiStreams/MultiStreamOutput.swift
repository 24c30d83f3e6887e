// SPDX-License-Identifier: MIT
import RealtimeKit

/// The end of a ``MultiStream`` for the thread that reads.
///
/// Read it mixed, or each input by itself; an interval that is read by itself ends with ``endInterval()``.
///
/// - Thread: any, one at a time. Release it on a thread that may wait.
/// - Realtime: safe.
@safe public struct MultiStreamOutput: ~Copyable, @unchecked Sendable {
    // @unchecked: one thread uses it. The memory is only kept alive: a class in a struct is not touched in calls that are safe.
    private let memory: MultiStreamMemory
    private let core: Cell<MultiStreamCore>
    private let inputCount: Int
    /// Number of channels.
    public let channelCount: Int

    init(_ memory: MultiStreamMemory) {
        self.memory = memory
        core = memory.core
        inputCount = memory.inputCount
        channelCount = memory.channelCount
    }

    /// Number of frames that every input has which is waited for; 0 if none is.
    ///
    /// A read of the mix gives at least as many: the silence of pauses comes on top. A call that reads an input by itself ends where an
    /// input pauses, and the next one goes on. Once an input was read by itself it is the length of the interval, also of what was read, until
    /// the interval ends.
    ///
    /// - Parameter now: the present time.
    @_noLocks
    public mutating func availableFrames(at now: MonotonicTime = .now) -> Int { core.value.framesAhead(at: now) }

    /// Reads the mix of all inputs: up to the frames that fit, as many as are there. Where inputs were read by themselves it ends that
    /// interval first, so it goes on after what was read.
    ///
    /// - Parameters:
    ///   - samples: room for whole frames, left, right, left, right, …
    ///   - now: the present time.
    @_noLocks
    public mutating func read(into samples: inout MutableSpan<Float>, at now: MonotonicTime = .now) -> MultiStreamResult
    {
        let limit = frames(in: samples)
        core.value.endBegun()
        let count = min(limit, core.value.begin(at: now))
        let time = MonotonicTime(nanoseconds: core.value.startTime)
        readMix(count, into: &samples, from: 0)
        var place = count
        // A jump of an input's time within the block.
        while place < limit, core.value.endsAtJump {
            let count = min(limit &- place, core.value.begin(at: now))
            guard count > 0, core.value.isContinuous else { break }
            readMix(count, into: &samples, from: place)
            place &+= count
        }
        return MultiStreamResult(frameCount: place, time: time)
    }

    /// Reads frames of the mix, and ends the interval.
    @_noLocks
    private func readMix(_ frameCount: Int, into samples: inout MutableSpan<Float>, from first: Int) {
        var place = 0
        while place < frameCount {
            let piece = min(frameCount &- place, MultiStreamCore.longestPiece)
            core.value.readMix(piece)
            if let memory = unsafe address(of: first &+ place, in: &samples) {
                unsafe core.value.storeMix(piece, into: memory)
            }
            place &+= piece
        }
        core.value.endInterval()
    }

    /// Reads an input by itself: up to the frames that fit, as many as are there for every input.
    ///
    /// - Parameters:
    ///   - samples: room for whole frames, left, right, left, right, …
    ///   - input: its index.
    ///   - now: the present time.
    @_noLocks
    public mutating func read(
        into samples: inout MutableSpan<Float>, input: Int, at now: MonotonicTime = .now
    ) -> MultiStreamResult {
        let inputs = inputCount
        precondition(input >= 0 && input < inputs, "no such input")
        _ = core.value.begin(at: now, lane: input)
        let count = min(frames(in: samples), core.value.rest(ofLane: input))
        let time = MonotonicTime(nanoseconds: core.value.nextTime(ofLane: input))
        var place = 0
        while place < count {
            let piece = min(count &- place, MultiStreamCore.longestPiece)
            core.value.read(piece, lane: input)
            if let memory = unsafe address(of: place, in: &samples) {
                unsafe core.value.storeResult(piece, lane: input, into: memory)
            }
            place &+= piece
        }
        return MultiStreamResult(frameCount: count, time: time)
    }

    /// Ends an interval in which inputs were read by themselves: the next reads of all are of the same time again.
    ///
    /// The interval is as long as the most that was read of an input in it. What was not read of the others is left out.
    @_noLocks
    public mutating func endInterval() { core.value.endInterval() }

    /// Leaves out frames of all inputs: up to the number that is given, as many as are there. As a read of the
    /// mix it goes on after what was read of inputs by themselves.
    ///
    /// - Parameters:
    ///   - frameCount: 0 or more.
    ///   - now: the present time.
    @_noLocks
    public mutating func discard(_ frameCount: Int, at now: MonotonicTime = .now) -> MultiStreamResult {
        precondition(frameCount >= 0, "frames are left out, not added")
        core.value.endBegun()
        let count = min(frameCount, core.value.begin(at: now))
        let time = MonotonicTime(nanoseconds: core.value.startTime)
        var place = 0
        while place < count {
            let piece = min(count &- place, MultiStreamCore.longestPiece)
            core.value.read(piece, lane: 0)
            place &+= piece
        }
        core.value.endInterval()
        return MultiStreamResult(frameCount: count, time: time)
    }

    @_noLocks
    private func frames(in samples: borrowing MutableSpan<Float>) -> Int {
        let (count, channels) = (samples.count, channelCount)
        precondition(count % channels == 0, "a read takes whole frames")
        return count / channels
    }

    /// The place of a frame of the app's samples; `nil` if there are none.
    @_noLocks
    private func address(of frame: Int, in samples: inout MutableSpan<Float>) -> UnsafeMutablePointer<Float>? {
        let memory = unsafe samples.withUnsafeMutableBufferPointer { UnsafeMutableRawPointer($0.baseAddress) }
        guard let memory = unsafe memory else { return nil }
        return unsafe memory.assumingMemoryBound(to: Float.self) + frame &* channelCount
    }
}
