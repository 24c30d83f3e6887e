// SPDX-License-Identifier: MIT
import CSndFile
import Glibc
import Synchronization

/// A sound file that is read piece by piece: WAV, FLAC or any other format of libsndfile.
///
/// It may be removed from its folder while it is read.
///
/// - Thread: any that may wait for the disk. A lock lets one thread read at a time.
package final class SoundFileReader: Sendable {
    /// Of the handle: one thread at a time may use it, which the mutex ensures.
    @safe private struct Handle: @unchecked Sendable {
        var pointer: OpaquePointer
        var descriptor: Int32
    }

    package let path: String
    /// 1 to 64.
    package let channelCount: Int
    /// In hertz, as the header says: any number.
    package let sampleRate: Int
    /// The length that the header claims, in frames. It may be any number, and the largest where it is not known.
    package let claimedFrameCount: Int
    private let handle: Mutex<Handle>

    /// Opens a file.
    ///
    /// - Throws: ``ToolFailure``.
    package init(path: String) throws {
        let descriptor = try Self.open(path)
        var info = SF_INFO()
        guard let pointer = unsafe sf_open_fd(descriptor, Int32(SFM_READ), &info, 0) else {
            close(descriptor)
            throw ToolFailure(
                "\(path) is not a sound file that can be read (\(unsafe SoundFileError.text(nil))); use a WAV file.")
        }
        self.path = path
        channelCount = Int(info.channels)
        sampleRate = Int(info.samplerate)
        claimedFrameCount = WaveHead.claimedFrameCount(descriptor) ?? Int(info.frames)
        handle = unsafe Mutex(Handle(pointer: pointer, descriptor: descriptor))
        guard (1...64).contains(channelCount) else {
            throw ToolFailure("\(path) has \(channelCount) channels, and a port has 64 at most; use a file with fewer.")
        }
    }

    deinit {
        handle.withLock { handle in
            unsafe sf_close(handle.pointer)
            close(handle.descriptor)
        }
    }

    private static func open(_ path: String) throws -> Int32 {
        // A pipe without a writer must not block this program.
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ToolFailure("\(path) cannot be read: \(SoundFileError.advice()).") }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ToolFailure("\(path) is not a file; name a WAV file.")
        }
        return descriptor
    }

    /// Reads the next frames.
    ///
    /// - Parameter frameCount: the largest number, 1 or more.
    /// - Returns: interleaved samples, whose full scale is −1…1; none at the end of the sound, or where a damaged file ends. A header
    ///   can claim any length, so the file's content decides.
    /// - Throws: ``ToolFailure`` if the disk fails.
    package func read(upTo frameCount: Int) throws -> [Float] {
        try handle.withLock { handle in
            let file = unsafe handle.pointer
            let samples = unsafe [Float](unsafeUninitializedCapacity: frameCount * channelCount) { samples, count in
                // A read of no frames would have no address.
                let read =
                    unsafe samples.baseAddress.map { unsafe sf_readf_float(file, $0, sf_count_t(frameCount)) } ?? 0
                count = max(Int(read), 0) * channelCount
            }
            guard samples.count < frameCount * channelCount, unsafe sf_error(file) == SF_ERR_SYSTEM else {
                return samples
            }
            throw ToolFailure(
                "\(path) cannot be read to its end (\(unsafe SoundFileError.text(file))); check its disk, or play another copy of it."
            )
        }
    }

    /// Goes back to the first frame.
    ///
    /// - Throws: ``ToolFailure``.
    package func rewind() throws {
        try handle.withLock { handle in
            guard unsafe sf_seek(handle.pointer, 0, Int32(SEEK_SET)) == 0 else {
                throw ToolFailure(
                    "\(path) cannot be read again from its beginning (\(unsafe SoundFileError.text(handle.pointer))); "
                        + "play it without --loop.")
            }
        }
    }
}
