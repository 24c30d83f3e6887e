// SPDX-License-Identifier: MIT
import Glibc

/// The program of this process.
package enum RunningProgram {
    /// The absolute path; empty if it cannot be found out.
    package static var path: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    }
}
