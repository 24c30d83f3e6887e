// SPDX-License-Identifier: MIT
import Glibc

/// As many connections as a daemon's socket queues. A stopped daemon takes none, so the next one is refused.
final class FullQueue {
    private var descriptors: [Int32] = []

    init(at path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        while true {
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let descriptor = socket(AF_UNIX, kind, 0)
            let isQueued = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe connect(descriptor, pointer, length) == 0
                }
            }
            guard isQueued else {
                close(descriptor)
                return
            }
            descriptors.append(descriptor)
        }
    }

    func leave() {
        for descriptor in descriptors { close(descriptor) }
        descriptors = []
    }

    deinit { leave() }
}
