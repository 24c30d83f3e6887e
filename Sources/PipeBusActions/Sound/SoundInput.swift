// SPDX-License-Identifier: MIT
import CSndFile
import Synchronization

/// A sound file that an action reads: of any format that libsndfile knows by the file's header.
///
/// ```swift
/// while true {
///     let block = try input.read(upTo: input.blockFrameCount)
///     if block.isEmpty { break }
///     try output.write(block)
/// }
/// ```
///
/// Samples are exact: those of integers of 8 to 32 bits, of μ-law and of lossless compression are what the file says, divided by its full
/// scale, and those of floating-point files are as they are. Memory is bounded, however long the file.
///
/// The frames of a compressed file have no fixed place. When ``frameCount`` is used, or ``seek(to:)`` for another frame than the first, such a file is decoded
/// once, into a temporary file in the folder `TMPDIR` or else in `/var/tmp`, which takes 4 bytes for each sample.
///
/// Raw files and Sound Designer II files have no header, so they are refused.
///
/// - Thread: any that may wait for the disk. A lock lets one thread read at a time.
/// - Realtime: unsafe.
public final class SoundInput: Sendable {
    /// - Thread: any, one at a time: the state's lock.
    private struct State: @unchecked Sendable {
        let source: SoundSource
        var decoder: SoundDecoder
        var spool: SampleSpool?
        /// The next frame to be read.
        var position = 0
        /// `nil` as long as nobody has counted them.
        var frameCount: Int?
    }

    /// The numbers of channels that are read.
    static let channelCounts = 1...1024
    /// The sample rates that are read, in hertz.
    static let sampleRates = 1...Int(Int32.max)
    /// The largest number of samples in a block: 2 MiB.
    private static let largestSampleCount = 1 << 18

    /// The file's name for people, without a folder.
    public let displayName: String
    /// The format, as the header says.
    public let format: SoundFormat
    /// 1…1024.
    public let channelCount: Int
    /// In hertz: 1…2 147 483 647, as the header says.
    public let sampleRate: Int
    /// The length that the header claims, in frames; `nil` if it says that it does not know. A damaged file has fewer.
    public let claimedFrameCount: Int?
    /// Texts, places and channels that the file names.
    public let metadata: SoundMetadata
    private let state: Mutex<State>
    /// Called when frames are read. What it throws ends that.
    private let activity: (@Sendable () throws -> Void)?
    /// The largest number of frames that a compressed file may have.
    private let largestFrameCount: Int

    /// Opens a file, and takes a duplicate of its descriptor. The file's position does not matter, and is left alone.
    ///
    /// - Parameters:
    ///   - descriptor: of a file, open for reading.
    ///   - name: the name for people, without a folder.
    ///   - largestFrameCount: the largest number of frames for which a compressed file is decoded into a temporary file.
    ///   - activity: called when frames are read, or decoded. What it throws ends that.
    /// - Throws: ``SoundError``.
    package init(
        descriptor: Int32, name: String, largestFrameCount: Int = 1 << 48,
        activity: (@Sendable () throws -> Void)? = nil
    ) throws {
        let source = try SoundSource(descriptor: descriptor, name: name)
        let decoder = try SoundDecoder(source)
        displayName = name
        format = decoder.format
        channelCount = Int(decoder.info.channels)
        sampleRate = Int(decoder.info.samplerate)
        claimedFrameCount = decoder.info.frames < Int64(Int32.max) << 20 ? Int(decoder.info.frames) : nil
        metadata = decoder.metadata
        self.largestFrameCount = largestFrameCount
        self.activity = activity
        let frameCount = decoder.hasFixedFrames ? try decoder.countFrames() : nil
        state = Mutex(State(source: source, decoder: decoder, spool: nil, frameCount: frameCount))
    }

    /// The format of a file, if it is a sound file.
    ///
    /// - Parameter descriptor: of a file, open for reading.
    static func format(of descriptor: Int32) -> SoundFormat? {
        guard let source = try? SoundSource(descriptor: descriptor, name: "The file") else { return nil }
        return try? SoundDecoder(source).format
    }

    /// The largest number of frames in a block.
    static func largestBlock(channelCount: Int) -> Int { max(largestSampleCount / channelCount, 1) }

    /// A number of frames for which a block is neither so short that calls matter nor so long that memory does.
    public var blockFrameCount: Int { min(Self.largestBlock(channelCount: channelCount), 1 << 16) }

    /// The number of frames that can be read, whatever the header claims. Of a compressed file it is known after all of it was
    /// decoded, which the first use does.
    ///
    /// - Throws: ``SoundError``, or `CancellationError` if the task is cancelled meanwhile.
    public var frameCount: Int {
        get throws { try state.withLock { try count(&$0) } }
    }

    /// Reads the next frames.
    ///
    /// - Parameter frames: the largest number of frames. They are all in memory: ``blockFrameCount`` is a good number.
    /// - Returns: so many frames, and fewer only at the end of the sound, or where a damaged file ends; none after that.
    /// - Throws: ``SoundError`` if `frames` is less than 1, if a block would have more than 67 108 864 samples (512 MiB), if the disk fails, or if another process has changed the file.
    public func read(upTo frames: Int) throws -> SoundBlock {
        guard frames > 0 else {
            throw SoundError(.invalidArgument, "A block of \(frames) frames cannot be read; ask for 1 or more.")
        }
        // Before any of it is read.
        let rest = state.withLock { state in state.frameCount.map { $0 - state.position } } ?? 0
        guard min(rest, frames) <= Self.mostSamples / channelCount else { throw tooLarge }
        var block = try readPart(upTo: frames)
        while block.frameCount < frames {
            guard block.samples.count < Self.mostSamples else { throw tooLarge }
            let part = try readPart(upTo: frames - block.frameCount)
            guard !part.isEmpty else { break }
            block.samples += part.samples
        }
        return block
    }

    /// What is longer cannot be held at once, and is no mistake of an action that reads blocks.
    private static let mostSamples = 1 << 26

    private var tooLarge: SoundError {
        SoundError(
            .invalidArgument,
            "\(displayName) is too long to be held in memory at once; read it in blocks, such as of \(blockFrameCount) frames."
        )
    }

    /// Reads the next frames: as many as the decoder gives at once.
    private func readPart(upTo frames: Int) throws -> SoundBlock {
        try activity?()
        let frames = min(frames, Self.largestBlock(channelCount: channelCount))
        return try state.withLock { state in
            let samples: SoundSamples
            if let frameCount = state.frameCount {
                let end = state.position + min(frames, frameCount - state.position)
                guard end > state.position else { return SoundBlock(channelCount: channelCount) }
                if let spool = state.spool {
                    samples = try spool.read(state.position..<end)
                } else {
                    samples = try state.decoder.read(upTo: end - state.position)
                    guard samples.count == (end - state.position) * channelCount else {
                        throw SoundError(
                            .unreadable,
                            "\(displayName) ends before it should; check its disk, or use another copy of it."
                        )
                    }
                }
            } else {
                samples = try state.decoder.read(upTo: frames)
            }
            state.position += samples.count / channelCount
            return SoundBlock(samples: samples.values, channelCount: channelCount)
        }
    }

    /// Goes to a frame, which is read next.
    ///
    /// - Parameter frame: 0 to ``frameCount``, at which nothing is left to read.
    /// - Throws: as ``frameCount``, and ``SoundError`` if there is no such frame.
    public func seek(to frame: Int) throws {
        try state.withLock { state in
            if frame == 0, state.frameCount == nil {
                // For a second pass a compressed file is opened again, which takes no room on the disk.
                if state.position > 0 { state.decoder = try SoundDecoder(state.source) }
                state.position = 0
                return
            }
            let frameCount = try count(&state)
            guard (0...frameCount).contains(frame) else {
                throw SoundError(
                    .invalidArgument,
                    "\(displayName) has \(frameCount) frames, so there is no frame \(frame); use 0 to \(frameCount).")
            }
            if state.spool == nil, frame < frameCount { try state.decoder.seek(to: frame) }
            state.position = frame
        }
    }

    private func count(_ state: inout State) throws -> Int {
        if let frameCount = state.frameCount { return frameCount }
        // From the beginning, whatever was read: the decoder's own ways back are not exact in every format.
        let spool = try SampleSpool(
            decoding: SoundDecoder(state.source), name: displayName, largestFrameCount: largestFrameCount,
            activity: activity)
        let frameCount = spool.frameCount
        state.spool = spool
        state.frameCount = frameCount
        state.position = min(state.position, frameCount)
        return frameCount
    }
}
