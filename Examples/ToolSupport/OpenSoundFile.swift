// SPDX-License-Identifier: MIT
import CSndFile
import Glibc

/// A sound file that libsndfile has open for reading, and how the file was when it was opened.
///
/// libsndfile reads the header once. Where another program overwrites the file, it would take whatever comes next for samples of
/// the earlier format, which are loud noise. ``hasChanged`` says that the header must be read again.
///
/// - Thread: any that may wait for the disk, one at a time.
@safe struct OpenSoundFile: ~Copyable, @unchecked Sendable {
    /// The size of a file and the time of its last change. The system's clock for it advances every few milliseconds.
    private struct Version: Equatable {
        var size: off_t
        var seconds: time_t
        var nanoseconds: Int

        init?(_ descriptor: Int32) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { return nil }
            size = status.st_size
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    let descriptor: Int32
    /// What the header says, except that `frames` is limited to the file's size in formats that have frames of one size.
    let info: SF_INFO
    /// The next frame to be read.
    private(set) var place = 0
    private let handle: OpaquePointer
    private let version: Version

    /// - Parameter descriptor: of the file. It is closed with this value, and when there is none.
    /// - Returns: `nil` if it is no sound file.
    init?(descriptor: Int32) {
        var info = SF_INFO()
        // Before the header is read: a change from then on may have changed the header.
        guard let version = Version(descriptor),
            let handle = unsafe sf_open_fd(descriptor, Int32(SFM_READ), &info, 0)
        else {
            close(descriptor)
            return nil
        }
        // No recorder begins in a file that plays. One that has begun keeps its lock, and its file can be played.
        flock(descriptor, LOCK_SH | LOCK_NB)
        self.descriptor = descriptor
        self.info = info
        unsafe self.handle = handle
        self.version = version
    }

    deinit {
        unsafe sf_close(handle)
        close(descriptor)
    }

    /// Whether the file was written to, or cut off, since it was opened.
    var hasChanged: Bool { Version(descriptor) != version }

    /// The reason of the last error of libsndfile.
    var errorText: String { unsafe SoundFileError.text(handle) }

    /// Reads the next frames.
    ///
    /// - Returns: interleaved samples; `nil` if the disk fails.
    mutating func read(upTo frameCount: Int) -> [Float]? {
        let channelCount = Int(info.channels)
        let samples = unsafe [Float](unsafeUninitializedCapacity: frameCount * channelCount) { samples, count in
            // A read of no frames would have no address.
            let read = unsafe samples.baseAddress.map { unsafe sf_readf_float(handle, $0, sf_count_t(frameCount)) } ?? 0
            count = max(Int(read), 0) * channelCount
        }
        place += samples.count / channelCount
        guard samples.count < frameCount * channelCount, unsafe sf_error(handle) == SF_ERR_SYSTEM else {
            return samples
        }
        return nil
    }

    /// Goes to a frame.
    ///
    /// - Returns: false if that is not possible.
    mutating func seek(to frame: Int) -> Bool {
        guard unsafe sf_seek(handle, sf_count_t(frame), Int32(SEEK_SET)) == frame else { return false }
        place = frame
        return true
    }

    /// Opens the same file once more, which may have lost its name.
    ///
    /// - Returns: `nil` if it is no sound file any more, or may not be opened.
    func reopened() -> OpenSoundFile? {
        let descriptor = unsafe open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        return descriptor < 0 ? nil : OpenSoundFile(descriptor: descriptor)
    }
}
