// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

/// The process of a daemon, as far as this process can see it in `/proc`.
package struct DaemonProcess: Sendable {
    /// What `/proc` says of a process at one moment.
    struct Status: Equatable {
        var name: Substring
        var parent: Int32
        /// The time of its start, in clock ticks since the system's start. With the number it is one process and no other.
        var start: UInt64
        /// Whether it is stopped by a signal or a debugger.
        var isStopped: Bool
        /// Whether it ends, or has ended and was not waited for. The system closes its files after this is so.
        var isEnding: Bool
    }

    private let pid: Int32
    private let first: Status

    /// The process of a daemon that has just answered.
    ///
    /// - Parameters:
    ///   - pid: the number that the daemon gives; 0 if it gives none, as 0.3.65. Then it is the process that listens.
    ///   - address: the daemon's sockets.
    /// - Returns: `nil` if the process of that number here is another program: a sandbox numbers its own processes, and a
    ///   service manager may listen for the daemon.
    package init?(pid: Int32, at address: RemoteAddress) {
        self.init(pid: pid > 0 ? pid : Self.listener(at: address))
        guard first.name.hasPrefix("pipewire") || pid > 0 && listens(at: address) else { return nil }
    }

    private static func listener(at address: RemoteAddress) -> Int32 {
        for socket in address.sockets {
            let listener = unsafe pbpw_socket_listener(socket)
            if listener >= 0 { return listener }
        }
        return 0
    }

    init?(pid: Int32) {
        guard pid > 0, case .success(let status) = Self.status(of: pid), !status.isEnding else { return nil }
        self.pid = pid
        first = status
    }

    /// Whether the process has ended for certain. It counts as soon as the process closes its files.
    package var hasEnded: Bool {
        switch Self.status(of: pid) {
        case .success(let status): status.isEnding || status.start != first.start
        case .failure(let error): error.code == ENOENT || error.code == ESRCH
        }
    }

    /// Whether the process is stopped by a signal or a debugger.
    package var isStopped: Bool {
        guard case .success(let status) = Self.status(of: pid) else { return false }
        return status.isStopped && status.start == first.start
    }

    /// Whether the process, or its parent for it, listens on a socket of this address. Then it is the daemon, and no other
    /// process that has its number here.
    package func listens(at address: RemoteAddress) -> Bool {
        address.sockets.contains { path in
            let listener = unsafe pbpw_socket_listener(path)
            return listener > 0 && (listener == pid || listener == first.parent)
        }
    }

    // MARK: /proc

    struct Failure: Error { let code: Int32 }

    private static func status(of pid: Int32) -> Result<Status, Failure> {
        let descriptor = unsafe open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(Failure(code: errno)) }
        defer { close(descriptor) }
        // The name has 64 bytes at most, and each of the 52 numbers 20 digits.
        var buffer = [UInt8](repeating: 0, count: 2048)
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return .failure(Failure(code: count < 0 ? errno : ESRCH)) }
        guard let status = Status(parsing: String(decoding: buffer[..<count], as: UTF8.self)) else {
            return .failure(Failure(code: EPROTO))
        }
        return .success(status)
    }
}

extension DaemonProcess.Status {
    /// PF_EXITING of the kernel.
    private static let exiting: UInt64 = 4

    /// - Parameter text: the content of a process's `stat`; see proc(5).
    init?(parsing text: String) {
        // The name is in brackets, and may hold anything.
        guard let begin = text.firstIndex(of: "("), let end = text.lastIndex(of: ")"), begin < end else { return nil }
        let fields = text[text.index(after: end)...].split { $0 == " " || $0 == "\n" }
        guard fields.count > 19, let parent = Int32(fields[1]), let flags = UInt64(fields[6]),
            let start = UInt64(fields[19])
        else { return nil }
        self.init(
            name: text[text.index(after: begin)..<end], parent: parent, start: start,
            isStopped: fields[0] == "T" || fields[0] == "t",
            isEnding: fields[0] == "Z" || fields[0] == "X" || flags & Self.exiting != 0)
    }
}
