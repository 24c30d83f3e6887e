// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport
import Glibc

/// A file that an action is asked about, or run on: by its path, its descriptor, or a type alone.
///
/// - Thread: any but the audio thread. A value, which keeps its descriptor open.
/// - Realtime: unsafe.
public struct ActionFile: Sendable {
    private enum Content: Sendable {
        case path(String)
        case descriptor(OwnedDescriptor)
        case nothing
    }

    /// The name shown to people, without folders: "Speech.wav".
    public let name: String
    /// The type by which actions are chosen. What is in the file, an action finds out by itself.
    public let type: MIMEType
    private let content: Content

    private init(_ name: String, _ type: MIMEType, _ content: Content) {
        (self.name, self.type, self.content) = (name, type, content)
    }

    /// A file of this computer.
    ///
    /// Its type is found by its name and its first bytes. It is opened when an action runs on it, and only to be read.
    ///
    /// - Throws: ``ActionFailure`` `unreadable`.
    public static func file(_ path: String) throws(ActionFailure) -> ActionFile {
        let opened = try open(path)
        let name = path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path
        return ActionFile(name.printable, type(of: opened, named: name), .path(path))
    }

    /// An open file: one that a sandbox has no path of.
    ///
    /// - Parameters:
    ///   - descriptor: may be read. It stays the caller's.
    ///   - name: that of the file, for people.
    ///   - type: found by the name and the first bytes unless given.
    /// - Throws: ``ActionFailure`` `unreadable`.
    public static func descriptor(
        _ descriptor: Int32, name: String, type: MIMEType? = nil
    ) throws(ActionFailure) -> ActionFile {
        guard let name = ResultName.cleaned(name) else {
            throw ActionFailure(.unreadable, "The file has no name; give it one.")
        }
        let opened = OwnedDescriptor.reopened(descriptor)
        guard opened != nil || errno != EMFILE && errno != ENFILE else {
            throw ActionFailure(
                .unreadable, "\"\(name)\" cannot be read, because too many files are open; try again later.")
        }
        guard let own = opened, own.isFile else {
            throw ActionFailure(.unreadable, "\"\(name)\" is not a file that can be read; give an open sound file.")
        }
        return ActionFile(name, type ?? Self.type(of: own, named: name), .descriptor(own))
    }

    /// A type alone, to ask for actions before there is a file. No action runs on it.
    public static func placeholder(_ type: MIMEType, name: String = "Sound") -> ActionFile {
        ActionFile(name.printable, type, .nothing)
    }

    /// Whether it is a sound, as far as its type says that.
    public var isSound: Bool { type.isSound }

    /// The folder of a file of this computer.
    var folder: String? {
        guard case .path(let path) = content else { return nil }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Opens the file, only to be read, with a position of its own.
    ///
    /// - Throws: ``ActionFailure`` `unreadable`.
    func opened() throws(ActionFailure) -> OwnedDescriptor {
        switch content {
        case .path(let path): return try Self.open(path)
        case .descriptor(let descriptor):
            guard let own = descriptor.reopened() else { throw Self.failure(name, errno) }
            return own
        case .nothing:
            throw ActionFailure(.unreadable, "\"\(name)\" is only a type, without a file; name a file.")
        }
    }

    private static func open(_ path: String) throws(ActionFailure) -> OwnedDescriptor {
        guard !path.isEmpty else { throw ActionFailure(.unreadable, "The name of the file is empty; name a file.") }
        guard let opened = OwnedDescriptor.reading(path) else { throw failure(path, errno) }
        // Files of a device or a process, such as standard input, have no folder for a result.
        guard opened.isFile, !path.hasPrefix("/dev/"), !path.hasPrefix("/proc/") else {
            throw ActionFailure(.unreadable, "\"\(path.shown(atMost: 200))\" is not a file; name a sound file.")
        }
        return opened
    }

    private static func failure(_ path: String, _ number: Int32) -> ActionFailure {
        // Swift's texts have a mark for each byte that is no UTF-8, so that no file has the name.
        let advice =
            switch number {
            case ENOENT where path.unicodeScalars.contains("\u{FFFD}"):
                "its name may be in another encoding than UTF-8, so rename it"
            case ENOENT, ENOTDIR: "check its name and its folder"
            default: "name one that this user may read"
            }
        return ActionFailure(
            .unreadable,
            "\"\(path.shown(atMost: 200))\" cannot be read (\(unsafe String(cString: strerror(number)))); \(advice).")
    }

    /// The type by which the desktop knows the file, or libsndfile if that knows better.
    private static func type(of file: OwnedDescriptor, named name: String) -> MIMEType {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe pread(file.number, &bytes, bytes.count, 0)
        let type = MIMEType(ofFileNamed: name, beginning: Array(bytes.prefix(max(count, 0))))
        guard !type.isSound, let format = SoundInput.format(of: file.number) else { return type }
        return format.mimeType
    }
}
