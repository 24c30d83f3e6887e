// SPDX-License-Identifier: MIT
import CSndFile
import Glibc

/// A file that libsndfile writes through its virtual I/O, so that the reason of a write that fails is known.
///
/// - Thread: any that may wait for the disk, one at a time.
@safe final class SoundSink {
    /// For a person.
    let name: String
    /// `errno` of the first write that failed; 0 if none did. Nothing is written after that.
    private(set) var writeError: Int32 = 0
    private let descriptor: Int32
    private var position = 0
    private var size = 0

    /// Takes a duplicate of a descriptor, and empties the file.
    ///
    /// - Throws: ``SoundError`` if it is no file that can be written at any place.
    init(descriptor: Int32, name: String) throws {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemErrors.writing(name) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SoundError(
                .unwritable, "\(name) is not a file, and cannot take a sound; name one that is, or a new one.")
        }
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard duplicate >= 0 else { throw SystemErrors.writing(name) }
        self.descriptor = duplicate
        self.name = name
        guard ftruncate(duplicate, 0) == 0 else { throw SystemErrors.writing(name) }
    }

    deinit { close(descriptor) }

    /// Cuts off what is after the place of the next write.
    ///
    /// - Throws: ``SoundError``.
    func truncateAtPosition() throws {
        guard ftruncate(descriptor, off_t(position)) == 0 else { throw SystemErrors.writing(name) }
        size = position
    }

    /// Throws if a write failed.
    ///
    /// - Throws: ``SoundError``.
    func check() throws {
        guard writeError == 0 else { throw SystemErrors.writing(name, writeError) }
    }

    /// Writes bytes over those at a place, outside of what libsndfile does.
    ///
    /// - Throws: ``SoundError``.
    func put(_ bytes: [UInt8], at place: Int) throws {
        _ = unsafe bytes.withUnsafeBytes {
            unsafe PositionedIO.write(descriptor, from: $0, at: place, error: &writeError)
        }
        try check()
    }

    /// Reads bytes at a place, fewer at the end of the file.
    ///
    /// - Throws: ``SoundError``.
    func bytes(_ count: Int, at place: Int) throws -> [UInt8] {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = unsafe PositionedIO.read(
                descriptor, into: UnsafeMutableRawBufferPointer(buffer), at: place, error: &writeError)
        }
        try check()
        return bytes
    }

    /// Waits until everything is on the disk: some file systems report only then that there is no room.
    ///
    /// - Throws: ``SoundError``.
    func synchronize() throws {
        try check()
        while fsync(descriptor) != 0 {
            guard errno != EINTR else { continue }
            // A file system that cannot synchronize.
            guard errno != EINVAL, errno != EROFS else { return }
            throw SystemErrors.writing(name)
        }
    }

    // MARK: Callbacks

    var callbacks: SF_VIRTUAL_IO {
        unsafe SF_VIRTUAL_IO(
            get_filelen: { unsafe sf_count_t(SoundSink.from($0).size) },
            seek: { unsafe SoundSink.from($2).seek(by: $0, from: $1) },
            read: { unsafe SoundSink.from($2).read(into: $0, count: $1) },
            write: { unsafe SoundSink.from($2).write($0, count: $1) },
            tell: { unsafe sf_count_t(SoundSink.from($0).position) })
    }

    private static func from(_ userData: UnsafeMutableRawPointer?) -> SoundSink {
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
        guard let memory = unsafe memory, count > 0 else { return 0 }
        let done = unsafe PositionedIO.read(
            descriptor, into: UnsafeMutableRawBufferPointer(start: memory, count: Int(count)), at: position,
            error: &writeError)
        position += done
        return sf_count_t(done)
    }

    private func write(_ memory: UnsafeRawPointer?, count: sf_count_t) -> sf_count_t {
        guard let memory = unsafe memory, count > 0, writeError == 0 else { return 0 }
        let done = unsafe PositionedIO.write(
            descriptor, from: UnsafeRawBufferPointer(start: memory, count: Int(count)), at: position,
            error: &writeError)
        position += done
        size = max(size, position)
        return sf_count_t(done)
    }
}
