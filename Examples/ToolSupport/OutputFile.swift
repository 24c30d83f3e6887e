// SPDX-License-Identifier: MIT
import Glibc

/// A file for writing.
///
/// It is opened at the start, so that an error is known then. Its old content stays until the first write. A file without content has
/// a header from the start, so that it can be opened whenever the program is killed.
package struct OutputFile: Sendable {
    package let path: String
    /// -1 while it is closed.
    private(set) var descriptor: Int32
    private let wasThere: Bool
    /// Whether the file held something when it was opened.
    package let holdsContent: Bool
    private let device: dev_t
    private let number: ino_t

    /// - Parameters:
    ///   - format: that of the files that may be replaced.
    ///   - header: written at once into a file that is new or empty.
    /// - Throws: ``ToolFailure``.
    package init(path: String, replacing format: FileFormat = .wav, header: [UInt8] = []) throws {
        guard !path.isEmpty else { throw ToolFailure("The name of the file is empty; name a file.") }
        let wasThere = unsafe access(path, F_OK) == 0
        // A pipe without a reader must not block this program.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard descriptor >= 0 else { throw ToolFailure("\(path) cannot be written: \(SoundFileError.advice()).") }
        let reason: String
        if let status = Self.status(of: descriptor), status.st_mode & S_IFMT == S_IFREG {
            if let text = Self.textOutput(of: status) {
                reason = "is where this tool's own \(text) goes; name another file, or a new one"
            } else if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                // Two recordings in one file would spoil both, as would one in a file that plays. The lock ends with the descriptor.
                reason = "is being played, or recorded into, by another program; name another file, or a new one"
            } else if status.st_size > 0, !Self.begins(descriptor, as: format) {
                reason = "is no \(format.name) file, and would be replaced; name another file, or remove this one first"
            } else {
                self.init(path: path, descriptor: descriptor, wasThere: wasThere, status)
                guard !holdsContent, !header.isEmpty, !begin(with: header) else { return }
                let failure = failure()
                discard()
                throw failure
            }
        } else {
            reason = "is not a file and cannot take a recording; name one that is, or a new one"
        }
        Glibc.close(descriptor)
        throw ToolFailure("\(path) \(reason).")
    }

    /// The name of a file without its folder.
    package static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

    private init(path: String, descriptor: Int32, wasThere: Bool, _ status: stat) {
        self.path = path
        self.descriptor = descriptor
        self.wasThere = wasThere
        holdsContent = status.st_size > 0
        device = status.st_dev
        number = status.st_ino
    }

    /// The standard stream that writes to the file, if there is one: text and sound in one file would spoil both.
    private static func textOutput(of file: stat) -> String? {
        for (descriptor, name) in [(STDOUT_FILENO, "output"), (STDERR_FILENO, "error output")] {
            guard let status = status(of: descriptor) else { continue }
            if status.st_dev == file.st_dev, status.st_ino == file.st_ino { return name }
        }
        return nil
    }

    private static func begins(_ descriptor: Int32, as format: FileFormat) -> Bool {
        var head = [UInt8](repeating: 0, count: 12)
        guard unsafe pread(descriptor, &head, head.count, 0) == head.count else { return false }
        return format.isBeginning(head[...])
    }

    private static func status(of descriptor: Int32) -> stat? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Creates a file; `nil` if it exists.
    ///
    /// - Parameter remakesFolder: whether its folder is created again if it was removed.
    /// - Throws: ``ToolFailure``.
    package static func new(path: String, remakesFolder: Bool = false) throws -> OutputFile? {
        try FileDescriptors.check(for: path)
        if remakesFolder, let slash = path.lastIndex(of: "/") { _ = unsafe mkdir(String(path[..<slash]), 0o777) }
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor < 0, errno == EEXIST { return nil }
        guard descriptor >= 0, let status = status(of: descriptor) else {
            throw ToolFailure("\(path) cannot be written: \(SoundFileError.advice()).")
        }
        return OutputFile(path: path, descriptor: descriptor, wasThere: false, status)
    }

    /// Creates a file whose lock this program has.
    ///
    /// - Parameter shown: the name in errors.
    /// - Returns: `nil` if the name is taken, or another program has the file's lock or has removed it.
    /// - Throws: ``ToolFailure``.
    static func locked(path: String, reportedAs shown: String) throws -> OutputFile? {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor < 0, errno == EEXIST { return nil }
        guard descriptor >= 0, let created = status(of: descriptor) else {
            throw ToolFailure("\(shown) cannot be written: \(SoundFileError.advice()).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
            status(of: descriptor)?.st_nlink == 1
        else {
            Glibc.close(descriptor)
            return nil
        }
        return OutputFile(path: path, descriptor: descriptor, wasThere: false, created)
    }

    /// Another descriptor of the open file, which shares its lock; -1 without one.
    func duplicateDescriptor() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    /// Sets the permissions, where the file system has any.
    func setMode(_ mode: mode_t) { _ = fchmod(descriptor, mode) }

    /// Closes a file to which nothing but a header was written. Removes it if it did not exist before, unless its name is another
    /// file's by now. One that was empty before is empty again.
    package func discard() {
        if wasThere, !holdsContent { _ = resize(to: 0) }
        var status = stat()
        let isMine = unsafe stat(path, &status) == 0 && status.st_dev == device && status.st_ino == number
        Glibc.close(descriptor)
        if !wasThere, isMine { unsafe unlink(path) }
    }

    // MARK: Writing

    var isOpen: Bool { descriptor >= 0 }

    /// Whether the file is open and was removed from its folder.
    var isRemoved: Bool { isOpen && Self.status(of: descriptor)?.st_nlink == 0 }

    /// The size in bytes; 0 while it is closed.
    var size: Int { Self.status(of: descriptor).map { Int($0.st_size) } ?? 0 }

    /// Truncates the file, or adds zeros. These take no room on a file system with holes.
    ///
    /// - Returns: false on failure, with the reason in `errno`.
    func resize(to size: Int) -> Bool { ftruncate(descriptor, off_t(size)) == 0 }

    /// Replaces the content by a header. The old content is cut off after that, so that the file is never without one.
    ///
    /// - Returns: false on failure, with the reason in `errno`.
    func begin(with header: [UInt8]) -> Bool {
        let count = unsafe header.withUnsafeBytes { unsafe write($0, at: 0) }
        return count == header.count && resize(to: header.count)
    }

    /// - Returns: the number of written bytes. If some are missing, the reason is in `errno`.
    func write(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int {
        var done = 0
        while done < bytes.count {
            let count = unsafe pwrite(
                descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(place + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            done += count
        }
        return done
    }

    /// Closes the file. Idempotent.
    ///
    /// - Returns: whether everything that was written could be kept.
    @discardableResult
    mutating func close() -> Bool {
        guard isOpen else { return true }
        defer { descriptor = -1 }
        return Glibc.close(descriptor) == 0
    }

    /// Opens the file again. Idempotent.
    ///
    /// - Returns: false if the file is gone or was changed.
    /// - Throws: ``ToolFailure``.
    mutating func reopen(size: Int) throws -> Bool {
        guard !isOpen else { return true }
        try FileDescriptors.check(for: path)
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR || errno == ESTALE { return false }
            throw failure()
        }
        guard let status = Self.status(of: descriptor), status.st_dev == device, status.st_ino == number,
            status.st_size == size
        else {
            Glibc.close(descriptor)
            return false
        }
        self.descriptor = descriptor
        return true
    }

    /// SEEK_DATA, which the module for the C library does not have.
    private static let seekData: Int32 = 3

    /// Copies the file's content to another file, holes as holes.
    ///
    /// - Throws: ``ToolFailure``.
    func copy(to other: OutputFile) throws {
        var place = off_t(0)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        guard let size = Self.status(of: descriptor)?.st_size, other.resize(to: Int(size)) else {
            throw other.failure()
        }
        while place < size {
            let data = lseek(descriptor, place, Self.seekData)
            if data < 0, errno == ENXIO { break }
            // Where the file system does not report holes, everything is data.
            place = max(place, data)
            let count = unsafe pread(descriptor, &buffer, buffer.count, place)
            if count < 0 { throw failure() }
            // Another program has made it shorter.
            guard count > 0 else { break }
            let written = unsafe buffer.withUnsafeBytes { buffer in
                unsafe other.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: Int(place))
            }
            guard written == count else { throw other.failure() }
            place += off_t(count)
        }
    }

    /// The error of the last system call.
    func failure() -> ToolFailure { ToolFailure("\(path) cannot be written: \(SoundFileError.advice()).") }
}
