// SPDX-License-Identifier: MIT
import Glibc

/// Calls back on the loop when a socket of a daemon appears, or when its permissions change. Confined to the loop.
///
/// It watches the sockets' directories by inotify. A directory that does not exist cannot be watched.
package final class SocketWatch {
    private let descriptor: Int32
    private let names: Set<String>
    private let changed: () -> Void
    private var reader: LoopReader?

    /// `nil` when no directory of the sockets can be watched.
    package init?(on loop: PipeWireLoop, address: RemoteAddress, changed: @escaping () -> Void) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        names = Set(address.sockets.compactMap { $0.split(separator: "/").last.map(String.init) })
        self.changed = changed
        guard descriptor >= 0 else { return nil }
        let events = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) | UInt32(IN_ONLYDIR)
        var isWatching = false
        for directory in Set(address.sockets.map(\.dropLastComponent)) {
            if unsafe inotify_add_watch(descriptor, directory, events) >= 0 { isWatching = true }
        }
        let reader = LoopReader(on: loop, descriptor: descriptor) { [unowned self] in read() }
        self.reader = reader
        guard isWatching, reader.isWatching else { return nil }
    }

    deinit {
        reader?.cancel()
        if descriptor >= 0 { close(descriptor) }
    }

    private func read() {
        // Room for several events: an event has at most NAME_MAX + 1 bytes after its header.
        var buffer = [UInt8](repeating: 0, count: 16 * (MemoryLayout<inotify_event>.size + 256))
        var isConcerned = false
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            isConcerned = concernsSocket(buffer.prefix(count)) || isConcerned
        }
        if isConcerned { changed() }
    }

    /// Whether an event among these is about a socket, or about a directory itself.
    private func concernsSocket(_ events: ArraySlice<UInt8>) -> Bool {
        let header = MemoryLayout<inotify_event>.size
        var rest = events
        while rest.count >= header {
            let length = unsafe rest.withUnsafeBytes { bytes in
                unsafe Int(bytes.loadUnaligned(fromByteOffset: header - 4, as: UInt32.self))
            }
            guard length <= rest.count - header else { return true }
            let name = rest.dropFirst(header).prefix(length).prefix { $0 != 0 }
            if name.isEmpty || names.contains(String(decoding: name, as: UTF8.self)) { return true }
            rest = rest.dropFirst(header + length)
        }
        return false
    }
}

extension StringProtocol {
    /// The directory of a path.
    fileprivate var dropLastComponent: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
