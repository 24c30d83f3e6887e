// SPDX-License-Identifier: MIT
import CSndFile
import Glibc

/// A file that libsndfile reads through its virtual I/O.
///
/// Reads have their own position: the descriptor may be shared with the process that passed it on, and then the system's position is, too.
/// Nothing is mapped, because a file that another process shortens would end this one.
///
/// - Thread: any that may wait for the disk, one at a time.
@safe final class SoundSource {
    /// The size of a file and the time of its last change.
    private struct Version: Equatable {
        var size: off_t
        var seconds: time_t
        var nanoseconds: Int

        init(_ status: stat) {
            size = status.st_size
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    /// For a person.
    let name: String
    /// The size in bytes when it was opened.
    let size: Int
    private let descriptor: Int32
    private let version: Version
    private var position = 0
    /// `errno` of the first read that failed; 0 if none did.
    private var readError: Int32 = 0
    /// The number of calls that are left to libsndfile until ``allow(calls:)`` is called.
    private var remainingCalls = 0

    /// Takes a duplicate of a descriptor.
    ///
    /// - Throws: ``SoundError`` if it is no file that can be read at any place.
    init(descriptor: Int32, name: String) throws {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemErrors.reading(name) }
        switch status.st_mode & S_IFMT {
        case S_IFREG where status.st_size > 0: break
        case S_IFREG: throw SoundError(.unreadable, "\(name) is empty; use a file that holds sound.")
        case S_IFDIR: throw SoundError(.unreadable, "\(name) is a folder; use a sound file in it.")
        default: throw SoundError(.unreadable, "\(name) is not a file; save the sound in one.")
        }
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard duplicate >= 0 else { throw SystemErrors.reading(name) }
        self.descriptor = duplicate
        self.name = name
        size = Int(status.st_size)
        version = Version(status)
    }

    deinit { close(descriptor) }

    /// Throws if a read failed, or if another process changed the file: its samples could be noise then.
    ///
    /// - Throws: ``SoundError``.
    func check() throws {
        guard readError == 0 else { throw SystemErrors.reading(name, readError) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemErrors.reading(name) }
        guard Version(status) == version else {
            throw SoundError(
                .changed, "\(name) was changed by another program while it was read; try again once that is done.")
        }
    }

    /// Limits what libsndfile may do until the next call of this function: a header that lies must not keep it busy.
    func allow(calls: Int) { remainingCalls = calls }

    /// Goes to the beginning, where libsndfile looks for a header.
    func rewind() { position = 0 }

    // MARK: Callbacks

    var callbacks: SF_VIRTUAL_IO {
        unsafe SF_VIRTUAL_IO(
            get_filelen: { unsafe sf_count_t(SoundSource.from($0).size) },
            seek: { unsafe SoundSource.from($2).seek(by: $0, from: $1) },
            read: { unsafe SoundSource.from($2).read(into: $0, count: $1) },
            // A file that is only read is not written.
            write: { _, _, _ in 0 },
            tell: { unsafe sf_count_t(SoundSource.from($0).position) })
    }

    private static func from(_ userData: UnsafeMutableRawPointer?) -> SoundSource {
        unsafe Unmanaged.fromOpaque(userData!).takeUnretainedValue()
    }

    private func seek(by offset: sf_count_t, from origin: Int32) -> sf_count_t {
        let start =
            switch origin {
            case SEEK_SET: 0
            case SEEK_CUR: position
            case SEEK_END: size
            default: -1
            }
        let (place, isTooLarge) = start.addingReportingOverflow(Int(offset))
        guard start >= 0, !isTooLarge, place >= 0 else { return -1 }
        position = place
        return sf_count_t(place)
    }

    private func read(into memory: UnsafeMutableRawPointer?, count: sf_count_t) -> sf_count_t {
        remainingCalls -= 1
        guard let memory = unsafe memory, remainingCalls >= 0, readError == 0 else { return 0 }
        // Nothing after the end that the file had at first: it may be growing.
        let wanted = max(min(Int(count), size - position), 0)
        let done = unsafe PositionedIO.read(
            descriptor, into: UnsafeMutableRawBufferPointer(start: memory, count: wanted), at: position,
            error: &readError)
        position += done
        return sf_count_t(done)
    }
}
