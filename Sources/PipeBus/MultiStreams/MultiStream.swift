// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// Keeps sound of several clocks in step by the time at which it was made: the bus and a microphone, two sound cards, a network.
///
/// ```swift
/// let streams = try MultiStream([
///     StreamFormat(.float32, sampleRate: 48_000),                  // the bus
///     StreamFormat(.int16, channelCount: 1, sampleRate: 44_100),   // a microphone
/// ])
/// var bus = try streams.makeInput(0), microphone = try streams.makeInput(1)
/// var output = try streams.makeOutput()
/// ```
///
/// Each input is written by a thread of its own, with the time at which the sound was made. The output is read by any thread, mixed or
/// each input by itself: **up to** the frames that are asked for, as many as every input has for the same time.
///
/// The first input is the reference: its frames come out as they went in, and its clock is the output's. The others are resampled to it,
/// also where the rates are nominally equal, by ±1 %.
///
/// An input that has nothing is waited for, and so is everything else. An input that will give nothing says so
/// (``MultiStreamInput/markIdle()``); one that gives nothing for a second after its next block is due is not waited for either, until it
/// does again. A block is due when the longest one that it has written would have passed. Its place is silent. An input that has not been
/// written yet is silent, and is not waited for.
///
/// A time that is 20 ms or more after the end of the sound before it is a pause, which is silent, or that of a thread that was late. The
/// next 50 ms of sound tell: what is after the jump is given when they are there, or when the input is idle.
///
/// Inputs whose times are apart, because one comes late or has jumped, are put in step up to the distance that the smallest capacity
/// holds, in seconds, and up to 2 s at least. An input whose times are further away is not put in step, and is heard as it comes.
///
/// - Thread: any.
/// - Realtime: unsafe; the calls of inputs and of the output are safe.
public final class MultiStream: Sendable {
    /// The largest number of inputs.
    public static let maximumInputCount = 32

    private struct State {
        var takenInputs: Set<Int> = []
        var hasOutput = false
    }

    let memory: MultiStreamMemory
    private let state = Mutex(State())

    /// The forms of the inputs' samples. Each has a sample rate.
    public let formats: [StreamFormat]
    /// Number of channels of the output.
    public let channelCount: Int
    /// The sample rate of the output, nominally, in hertz: that of the first input.
    public let sampleRate: Int

    /// Creates the memory for all inputs.
    ///
    /// - Parameters:
    ///   - formats: of the inputs, 1…32. Each has a sample rate; without a number of channels it has the output's.
    ///   - channelCount: of the output, 1…64.
    ///   - capacity: number of frames that each input may be ahead of the output, 4096…2^22, in at most 16 384 writes. By default each
    ///     input has the least power of two that is at least 1.25 s at its rate, and at least 65 536.
    /// - Throws: ``PipeBusError`` `invalidArgument`.
    public init(_ formats: [StreamFormat], channelCount: Int = 2, capacity: Int? = nil) throws {
        guard (1...Self.maximumInputCount).contains(formats.count) else {
            throw PipeBusError(
                .invalidArgument, "A MultiStream has 1 to \(Self.maximumInputCount) inputs, not \(formats.count).")
        }
        guard (1...ChannelLayout.maximumCount).contains(channelCount) else {
            throw PipeBusError(
                .invalidArgument,
                "A MultiStream has 1 to \(ChannelLayout.maximumCount) channels, not \(channelCount).")
        }
        if let capacity, !(4096...(1 << 22)).contains(capacity) {
            throw PipeBusError(
                .invalidArgument, "The capacity of a MultiStream is 4096 to \(1 << 22) frames, not \(capacity).")
        }
        for format in formats {
            try format.check()
            guard format.sampleRate != nil else {
                throw PipeBusError(
                    .invalidArgument,
                    "Each input of a MultiStream has a clock of its own: give its format a sampleRate.")
            }
        }
        self.formats = formats
        self.channelCount = channelCount
        sampleRate = formats[0].sampleRate ?? 0
        let capacities = formats.map { capacity ?? Self.defaultCapacity(sampleRate: $0.sampleRate ?? 0) }
        memory = MultiStreamMemory(formats, channelCount: channelCount, capacities: capacities)
    }

    /// While an input is waited for, all others keep a second of their sound; a quarter more is for their blocks.
    private static func defaultCapacity(sampleRate: Int) -> Int {
        StreamMemory.capacity(atLeast: max(sampleRate + sampleRate / 4, 1 << 16))
    }

    /// Makes the end for the thread that writes an input. Each input has one.
    ///
    /// - Throws: ``PipeBusError`` `invalidArgument` if there is no such input, `notSupported` if its end was made before.
    public func makeInput(_ index: Int) throws -> MultiStreamInput {
        guard formats.indices.contains(index) else {
            throw PipeBusError(.invalidArgument, "There is no input \(index) of \(formats.count).")
        }
        guard state.withLock({ $0.takenInputs.insert(index).inserted }) else {
            throw PipeBusError(.notSupported, "Input \(index) is made already; one thread writes it.")
        }
        return MultiStreamInput(memory, index, formats[index])
    }

    /// Makes the end for the thread that reads. There is one.
    ///
    /// - Throws: ``PipeBusError`` `notSupported` if it was made before.
    public func makeOutput() throws -> MultiStreamOutput {
        let isFirst = state.withLock { state in
            defer { state.hasOutput = true }
            return !state.hasOutput
        }
        guard isFirst else {
            throw PipeBusError(.notSupported, "The output is made already; one thread reads it.")
        }
        return MultiStreamOutput(memory)
    }

    /// Sets the volume and the pan of an input in the mix. Frames that are read later lead there, without a step.
    ///
    /// - Parameters:
    ///   - volume: a linear gain, 0…8; clamped. NaN is 0.
    ///   - pan: −1 (left) to 1 (right); clamped. It balances a mix of two channels (``PanLaw/balance``), and has no effect on others.
    ///   - index: of the input.
    public func setLevel(volume: Double, pan: Double = 0, of index: Int) {
        precondition(formats.indices.contains(index), "no such input")
        memory.setLevel(volume: volume, pan: pan, of: index)
    }
}
