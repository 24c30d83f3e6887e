// SPDX-License-Identifier: MIT
import Glibc

/// Calls back on the loop when a socket of a daemon appears, or when its permissions change. Confined to the loop.
///
/// It watches the socket's directory by inotify. Where that does not exist, it watches the nearest directory above it, until the
/// next one on the way appears.
package final class SocketWatch {
    private static let events =
        UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
        | UInt32(IN_ONLYDIR)

    private let descriptor: Int32
    private let sockets: [String]
    private let changed: () -> Void
    private var reader: LoopReader?
    /// The names that matter in each watched directory.
    private var names: [Int32: Set<String>] = [:]

    /// `nil` when no directory can be watched.
    package init?(on loop: PipeWireLoop, address: RemoteAddress, changed: @escaping () -> Void) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        sockets = address.sockets
        self.changed = changed
        guard descriptor >= 0 else { return nil }
        refresh()
        let reader = LoopReader(on: loop, descriptor: descriptor) { [unowned self] in read() }
        self.reader = reader
        guard !names.isEmpty, reader.isWatching else { return nil }
    }

    deinit {
        reader?.cancel()
        if descriptor >= 0 { close(descriptor) }
    }

    // MARK: Directories

    /// Watches the directories that are there now. inotify does not report everything: another file system may be mounted
    /// over a directory.
    ///
    /// - Returns: whether the directory of a socket is watched that was not.
    @discardableResult
    package func refresh() -> Bool {
        let old = names
        names = [:]
        for socket in sockets { watch(Self.places(of: socket)) }
        for watch in old.keys where names[watch] == nil { inotify_rm_watch(descriptor, watch) }
        let ends = Set(sockets.compactMap { Self.places(of: $0).first?.name })
        return names.contains { watch, names in
            !names.intersection(ends).isSubset(of: old[watch] ?? [])
        }
    }

    private struct Place {
        var directory: String
        var name: String
    }

    /// The socket in its directory, that directory in the one above it, and so on.
    private static func places(of socket: String) -> [Place] {
        var places: [Place] = []
        var path = Substring(socket)
        while let slash = path.lastIndex(of: "/") {
            let name = path[path.index(after: slash)...]
            path = path[..<slash]
            if !name.isEmpty { places.append(Place(directory: path.isEmpty ? "/" : String(path), name: String(name))) }
        }
        if !path.isEmpty { places.append(Place(directory: ".", name: String(path))) }
        return places
    }

    /// Watches the first directory that can be watched.
    private func watch(_ places: [Place]) {
        // Again if the next directory on the way appears meanwhile: it would be reported to nobody.
        for _ in 0..<4 {
            guard let index = places.firstIndex(where: watch) else { return }
            guard index > 0, unsafe access(places[index - 1].directory, F_OK) == 0 else { return }
        }
    }

    private func watch(_ place: Place) -> Bool {
        let watch = unsafe inotify_add_watch(descriptor, place.directory, Self.events)
        guard watch >= 0 else { return false }
        names[watch, default: []].insert(place.name)
        return true
    }

    // MARK: Events

    private func read() {
        // Room for several events: an event has at most NAME_MAX + 1 bytes after its header.
        var buffer = [UInt8](repeating: 0, count: 16 * (MemoryLayout<inotify_event>.size + 256))
        var isConcerned = false
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            isConcerned = concernsSocket(buffer.prefix(count)) || isConcerned
        }
        guard isConcerned else { return }
        refresh()
        changed()
    }

    /// Whether an event among these is about a socket, about a directory on the way to it, or about a watched directory itself.
    private func concernsSocket(_ events: ArraySlice<UInt8>) -> Bool {
        let header = MemoryLayout<inotify_event>.size
        var rest = events
        while rest.count >= header {
            let (watch, length) = unsafe rest.withUnsafeBytes { bytes in
                unsafe (
                    bytes.loadUnaligned(as: Int32.self),
                    Int(bytes.loadUnaligned(fromByteOffset: header - 4, as: UInt32.self))
                )
            }
            // Events were lost.
            guard watch >= 0, length <= rest.count - header else { return true }
            let name = rest.dropFirst(header).prefix(length).prefix { $0 != 0 }
            // The last event of a watch that was ended is about none of these.
            if let names = names[watch], name.isEmpty || names.contains(String(decoding: name, as: UTF8.self)) {
                return true
            }
            rest = rest.dropFirst(header + length)
        }
        return false
    }
}
