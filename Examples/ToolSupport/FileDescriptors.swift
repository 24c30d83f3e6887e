// SPDX-License-Identifier: MIT
import Glibc

/// The number of descriptors that this process may still open.
enum FileDescriptors {
    /// Number of descriptors that are reserved for PipeWire, which takes two for each connected source. Without them
    /// the whole connection would end, and not one file.
    static let reserve = 16

    /// Whether a file may take a descriptor.
    static var areSpare: Bool {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        // The lowest free number is given first, so the free ones are at the top.
        var free = 0
        var number = Int32(clamping: limit.rlim_cur) - 1
        while number >= 0, free <= reserve {
            if fcntl(number, F_GETFD) < 0 { free += 1 }
            number -= 1
        }
        return free > reserve
    }

    /// - Throws: ``ToolFailure`` if a file may take no descriptor.
    static func check(for path: String) throws {
        guard !areSpare else { return }
        throw ToolFailure(
            "\(path) cannot be written: Too many open files; raise the limit (ulimit -n), since PipeWire needs the last \(reserve) that this "
                + "process may open.")
    }
}
