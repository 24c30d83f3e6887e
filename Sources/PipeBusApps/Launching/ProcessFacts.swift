// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc

/// What `/proc` says of a process.
struct ProcessFacts {
    let pid: Int32

    /// Whether it runs: one that has ended and was not waited for does not.
    var isRunning: Bool { field(3).map { $0 != "Z" && $0 != "X" } ?? false }

    /// When it was started, in ticks since the system's start. With the number it is never that of another process.
    var startTime: UInt64? { field(22).flatMap { UInt64($0) } }

    var parent: Int32? { field(4).flatMap { Int32($0) } }

    /// Whether it has loaded libpipewire; `nil` if that cannot be seen.
    var usesPipeWire: Bool? {
        // A desktop's largest programs have less than a megabyte of mappings.
        guard let bytes = try? BoundedFile.bytes(at: "/proc/\(pid)/maps", upTo: 4 << 20) else { return nil }
        return String(decoding: bytes, as: UTF8.self).contains("libpipewire")
    }

    /// A field of `stat`, by its number in proc(5), from 3 on.
    private func field(_ number: Int) -> Substring? {
        guard let bytes = try? BoundedFile.bytes(at: "/proc/\(pid)/stat", upTo: 4096),
            // The second field is the program's name in parentheses, and may have any characters.
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
        return fields.indices.contains(number - 3) ? fields[number - 3] : nil
    }
}
