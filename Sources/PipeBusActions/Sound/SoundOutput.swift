// SPDX-License-Identifier: MIT
import Synchronization

/// The sound file that an action writes.
///
/// Samples are -1…1, as in a ``SoundBlock``. A format of integers gets the nearest ones, clipped to full scale, and silence for NaN. A
/// floating-point format gets all samples as they are. Memory is bounded, however long the file.
///
/// - Thread: any that may wait for the disk. A lock lets one thread write at a time.
/// - Realtime: unsafe.
public final class SoundOutput: Sendable {
    /// - Thread: any, one at a time: the state's lock.
    private struct State: @unchecked Sendable {
        let encoder: SoundEncoder
        var metadata = SoundMetadata()
        var frameCount = 0
        var isFinished = false
        /// The first error. The file is not what it should be after that.
        var error: SoundError?
    }

    /// A plain WAV file is begun for at most so many bytes of sound: a result may become longer than what was expected.
    private static let expectedByteCountOfWAV = 1 << 30

    /// The file's name for people, without a folder.
    public let displayName: String
    /// The format of the file. An RF64 file that stays below 4 GiB is a plain WAV file in the end.
    public let format: SoundFormat
    /// 1…1024.
    public let channelCount: Int
    /// In hertz: 1…2 147 483 647.
    public let sampleRate: Int
    private let largestFrameCount: Int
    /// Called when frames are written. What it throws ends that.
    private let activity: (@Sendable () throws -> Void)?
    private let state: Mutex<State>

    /// Empties a file, and writes a header into it.
    ///
    /// - Parameters:
    ///   - descriptor: of a file, open for reading and writing. A duplicate is taken.
    ///   - name: the name for people, without a folder.
    ///   - expectedFrameCount: the length that the sound will have, as far as it is known. A WAV file whose sound may become long is an RF64
    ///     file at first.
    ///   - activity: called when frames are written. What it throws ends that.
    /// - Throws: ``SoundError``.
    package init(
        descriptor: Int32, name: String, format: SoundFormat, channelCount: Int, sampleRate: Int,
        expectedFrameCount: Int? = nil, activity: (@Sendable () throws -> Void)? = nil
    ) throws {
        guard format.holds(channelCount: channelCount, sampleRate: sampleRate) else {
            throw SoundError(
                .notRepresentable,
                "\(name) cannot have \(channelCount) channels at \(sampleRate) Hz in the format \(format); use WAV.")
        }
        self.format = format.begun(
            channelCount: channelCount, sampleRate: sampleRate, expectedFrameCount: expectedFrameCount,
            largestByteCount: Self.expectedByteCountOfWAV)
        self.displayName = name
        self.activity = activity
        self.channelCount = channelCount
        self.sampleRate = sampleRate
        largestFrameCount = self.format.largestFrameCount(channelCount: channelCount)
        let sink = try SoundSink(descriptor: descriptor, name: name)
        state = Mutex(
            State(
                encoder: try SoundEncoder(sink, format: self.format, channelCount: channelCount, sampleRate: sampleRate)
            ))
    }

    /// What the file says beside its sound. It is written before the first frame, so changes after that have no effect.
    public var metadata: SoundMetadata {
        get { state.withLock { $0.metadata } }
        set { state.withLock { $0.metadata = newValue } }
    }

    /// The number of frames that were written.
    public var frameCount: Int { state.withLock { $0.frameCount } }

    /// The number of samples that were beyond full scale, and are clipped because the format has no larger ones.
    public var clippedSampleCount: Int { state.withLock { $0.encoder.clippedSampleCount } }

    /// A note for the user, with a sentence about clipped samples if there are any.
    func clippingNote(after note: String) -> String {
        let count = clippedSampleCount
        guard count > 0 else { return note }
        let sentence =
            "\(count == 1 ? "1 sample is" : "\(count) samples are") clipped at 0 dBFS, where this format ends."
        return note.isEmpty ? sentence : "\(note) \(sentence)"
    }

    /// Adds frames.
    ///
    /// - Throws: ``SoundError`` if the block has another number of channels, if there is no room, or if the file cannot become so long. What is in the
    ///   file is no whole sound then, and every later call throws.
    public func write(_ block: SoundBlock) throws {
        guard block.channelCount == channelCount else {
            throw SoundError(
                .invalidArgument,
                "\(displayName) has \(channelCount) channels, so a block with \(block.channelCount) cannot be written; write as many."
            )
        }
        guard block.samples.count.isMultiple(of: channelCount) else {
            throw SoundError(
                .invalidArgument,
                "\(displayName) has \(channelCount) channels, and \(block.samples.count) samples are no whole frames; write whole ones."
            )
        }
        try activity?()
        try perform { state in
            guard !state.isFinished else {
                throw SoundError(
                    .invalidArgument, "\(displayName) is finished, so nothing more can be written; write before that.")
            }
            guard block.frameCount <= largestFrameCount - state.frameCount else {
                throw SoundError(
                    .notRepresentable,
                    "\(displayName) can have \(largestFrameCount) frames at most in the format \(format); use RF64.")
            }
            try state.encoder.put(state.metadata)
            try state.encoder.write(block.samples)
            state.frameCount += block.frameCount
        }
    }

    /// Ends the sound: the header says its length, and everything is on the disk. Idempotent.
    ///
    /// - Throws: ``SoundError``.
    public func finish() throws {
        try perform { state in
            guard !state.isFinished else { return }
            try state.encoder.put(state.metadata)
            try state.encoder.finish()
            state.isFinished = true
        }
    }

    private func perform(_ work: (inout State) throws -> Void) throws {
        try state.withLock { state in
            if let error = state.error { throw error }
            do {
                try work(&state)
            } catch let error as SoundError {
                if error.code != .invalidArgument { state.error = error }
                throw error
            }
        }
    }
}

extension SoundFormat {
    /// RF64 in place of WAV for a sound that may become long, if RF64 has such samples.
    fileprivate func begun(
        channelCount: Int, sampleRate: Int, expectedFrameCount: Int?, largestByteCount: Int
    ) -> SoundFormat {
        let long = SoundFormat(.rf64, encoding)
        guard container == .wav || container == .wavex, long.holds(channelCount: channelCount, sampleRate: sampleRate),
            let byteCount = encoding.byteCount
        else { return self }
        guard let expectedFrameCount, expectedFrameCount <= largestByteCount / (byteCount * channelCount) else {
            return long
        }
        return self
    }

    /// The largest number of frames in a file.
    fileprivate func largestFrameCount(channelCount: Int) -> Int {
        switch container {
        // Of 36 bits (RFC 9639, "Streaminfo").
        case .flac: 1 << 36 - 1
        default: (container.largestByteCount ?? 1 << 60) / ((encoding.byteCount ?? 4) * channelCount)
        }
    }
}
