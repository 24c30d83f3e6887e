// SPDX-License-Identifier: MIT
import CSndFile
import Glibc
import Synchronization

/// A sound file that is read piece by piece: WAV, FLAC or any other format of libsndfile.
///
/// It may be removed from its folder while it is read. It may also grow, as a download does. Only the frames that were there at
/// the start are read then.
///
/// - Thread: any that may wait for the disk. A lock lets one thread read at a time.
package final class SoundFileReader: Sendable {
    private struct State: ~Copyable {
        var file: OpenSoundFile
        /// The next frame to be read.
        var place = 0
        /// The largest number of frames from the file's beginning; `Int.max` while the file has not changed.
        var end = Int.max
    }

    package let path: String
    /// 1 to 64.
    package let channelCount: Int
    /// In hertz, as the header says: any number.
    package let sampleRate: Int
    /// The length that the header claims, in frames. It may be any number, and the largest where it is not known.
    package let claimedFrameCount: Int
    /// Whether the file is too short for what its header claims, as far as that can be seen before it is read: in formats whose
    /// frames all have one size.
    package var isCutOff: Bool { frameCount < claimedFrameCount && frameCount > 0 }
    /// The number of frames for which the file is long enough, if that can be seen; otherwise what the header claims.
    package var frameCount: Int { Int(info.frames) }
    /// What the header said at the start.
    private let info: SF_INFO
    private let state: Mutex<State>

    /// Opens a file.
    ///
    /// - Throws: ``ToolFailure``.
    package init(path: String) throws {
        guard !path.isEmpty else { throw ToolFailure("The name of the sound file is empty; name a file.") }
        guard let file = OpenSoundFile(descriptor: try Self.open(path)) else {
            throw ToolFailure(
                "\(path) is not a sound file that can be read (\(unsafe SoundFileError.text(nil))); use a WAV file.")
        }
        self.path = path
        info = file.info
        channelCount = Int(info.channels)
        sampleRate = Int(info.samplerate)
        claimedFrameCount =
            WaveHead.claimedFrameCount(file.descriptor) ?? AIFFHead.claimedFrameCount(file.descriptor)
            ?? Int(info.frames)
        state = Mutex(State(file: file))
        guard (1...64).contains(channelCount) else {
            throw ToolFailure("\(path) has \(channelCount) channels, and a port has 64 at most; use a file with fewer.")
        }
    }

    private static func open(_ path: String) throws -> Int32 {
        // A pipe without a writer must not block this program.
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ToolFailure("\(path) cannot be read: \(SoundFileError.advice()).") }
        var status = stat()
        let isKnown = unsafe fstat(descriptor, &status) == 0
        let reason: String
        switch status.st_mode & S_IFMT {
        case S_IFREG where isKnown && status.st_size > 0: return descriptor
        case S_IFREG where isKnown: reason = "is empty; use a file that holds sound"
        case S_IFDIR where isKnown: reason = "is a folder; name a sound file in it"
        default: reason = "is not a file; name a WAV file"
        }
        close(descriptor)
        throw ToolFailure("\(path) \(reason).")
    }

    /// Reads the next frames.
    ///
    /// - Parameter frameCount: the largest number, 1 or more.
    /// - Returns: interleaved samples, whose full scale is −1…1; none at the end of the sound, or where a damaged file ends. A header
    ///   can claim any length, so the file's content decides.
    /// - Throws: ``ToolFailure`` if the disk fails, or if another program has overwritten or shortened the file. No sample that was
    ///   read since then is returned.
    package func read(upTo frameCount: Int) throws -> [Float] {
        try state.withLock { state in
            // A header that is moved by a longer text leaves the format as it was. So the frames are read again, from where they
            // are now. A file that grows all the time is good enough when its header was right before and after.
            var attempts = 0
            while true {
                guard state.file.place == state.place || state.file.seek(to: state.place) else { throw changed }
                let samples = state.file.read(upTo: max(min(frameCount, state.end - state.place), 0))
                let reason = state.file.errorText
                let hasChanged = state.file.hasChanged
                if hasChanged { try reopen(&state) }
                attempts += 1
                guard !hasChanged || attempts == 3 else { continue }
                guard let samples else {
                    throw ToolFailure(
                        "\(path) cannot be read to its end (\(reason)); check its disk, or play another copy of it.")
                }
                state.place += samples.count / channelCount
                return samples
            }
        }
    }

    /// Reads the header again, after a change.
    private func reopen(_ state: inout State) throws {
        guard let file = state.file.reopened(), file.info.format == info.format,
            file.info.samplerate == info.samplerate, file.info.channels == info.channels,
            file.info.frames >= info.frames
        else { throw changed }
        state.file = file
        state.end = Int(info.frames)
    }

    private var changed: ToolFailure {
        ToolFailure("\(path) was overwritten by another program while it was read; play it again once that is done.")
    }

    /// Goes back to the first frame.
    ///
    /// - Throws: ``ToolFailure``.
    package func rewind() throws {
        try state.withLock { state in
            guard state.file.seek(to: 0) else {
                throw ToolFailure(
                    "\(path) cannot be read again from its beginning (\(state.file.errorText)); play it without --loop."
                )
            }
            state.place = 0
        }
    }
}
