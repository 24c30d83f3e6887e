// SPDX-License-Identifier: MIT
import CSndFile
import DesktopSupport
import Glibc

/// A file that libsndfile reads through its virtual I/O.
///
/// Reads have their own position: the descriptor may be shared with the process that passed it on, and then the system's position is, too.
/// Nothing is mapped, because a file that another process shortens would end this one.
///
/// - Thread: any that may wait for the disk, one at a time.
@safe final class SoundSource {
    /// For a person.
    let name: String
    /// The size in bytes when it was opened.
    var size: Int { version.byteCount }
    private let descriptor: Int32
    private let version: FileVersion
    private var position = 0
    /// `errno` of the first read that failed; 0 if none did.
    private var readError: Int32 = 0
    /// The number of calls that are left to libsndfile until ``allow(calls:)`` is called.
    private var remainingCalls = 0
    /// Whether libsndfile is opening the file, and what the last markers of a WAV file said.
    private var isInHeader = false
    private var isInList = false
    private var isBigEndian = false

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
        guard let version = FileVersion(of: descriptor) else { throw SystemErrors.reading(name) }
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard duplicate >= 0 else { throw SystemErrors.reading(name) }
        self.descriptor = duplicate
        self.name = name
        self.version = version
    }

    deinit { close(descriptor) }

    /// Throws if a read failed, or if another process changed the file: its samples could be noise then.
    ///
    /// - Throws: ``SoundError``.
    func check() throws {
        guard readError == 0 else { throw SystemErrors.reading(name, readError) }
        guard let now = FileVersion(of: descriptor) else { throw SystemErrors.reading(name) }
        guard now == version else {
            throw SoundError(
                .changed, "\(name) was changed by another program while it was read; try again once that is done.")
        }
    }

    /// Reads bytes at a place, fewer at the end of the file.
    ///
    /// - Throws: ``SoundError``.
    func bytes(_ count: Int, at place: Int) throws -> [UInt8] {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = unsafe PositionedIO.read(
                descriptor, into: UnsafeMutableRawBufferPointer(buffer), at: place, error: &readError)
        }
        guard readError == 0 else { throw SystemErrors.reading(name, readError) }
        return bytes
    }

    /// Limits what libsndfile may do until the next call of this function: a header that lies must not keep it busy.
    func allow(calls: Int) { remainingCalls = calls }

    /// Goes to the beginning, where libsndfile looks for a header.
    func rewind() {
        position = 0
        isInHeader = true
        isInList = false
    }

    /// Ends what is done for headers alone.
    func endHeader() { isInHeader = false }

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
        // A number that is cut off by the file's end. libsndfile would ask for it up to 4 billion times, as it does not get 0 bytes.
        guard done == Int(count) || count > 8 else { return 0 }
        position += done
        if isInHeader, done == 4 { unsafe correct(UnsafeMutableRawBufferPointer(start: memory, count: done)) }
        return sf_count_t(done)
    }

    /// Replaces the size of a part of a WAV file's list by one that is too large.
    ///
    /// libsndfile 1.2 adds such sizes up in 32 bits. One that is near 4 GiB then takes it back in the header, where it goes round for ever. It
    /// reads markers and sizes one by one.
    private func correct(_ word: UnsafeMutableRawBufferPointer) {
        let text = unsafe String(decoding: word, as: UTF8.self)
        switch text {
        case "RIFF", "RF64", "BW64", "riff": isBigEndian = false
        case "RIFX": isBigEndian = true
        case "LIST", "INFO": isInList = true
        // Its size may be anything.
        case "data": isInList = false
        default: break
        }
        let top = isBigEndian ? 0 : 3
        if isInList, unsafe word[top] >= 0x80 { unsafe word[top] = 0x7F }
    }
}
