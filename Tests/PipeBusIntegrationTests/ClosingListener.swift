// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBusTesting
import Synchronization

/// Listens at a path as a daemon does, and closes each connection at once.
final class ClosingListener: Sendable {
    private let descriptor: Int32
    private let counter = Mutex(0)

    init(at path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, length)
            }
        }
        guard result == 0, listen(descriptor, 16) == 0 else {
            throw TestKitError("No socket could be made at \(path).")
        }
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                Glibc.close(connection)
                counter.withLock { $0 += 1 }
            }
        }
    }

    /// The number of connections so far.
    var count: Int { counter.withLock { $0 } }

    /// Stops listening.
    func close() {
        // It ends the wait for the next connection; closing alone does not.
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }
}
