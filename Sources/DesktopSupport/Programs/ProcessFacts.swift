// SPDX-License-Identifier: MIT
import Glibc

/// What `/proc` says of a process.
package struct ProcessFacts {
    package let pid: Int32

    package init(pid: Int32) { self.pid = pid }

    /// Whether it runs: one that has ended and was not waited for does not.
    package var isRunning: Bool { field(3).map { $0 != "Z" && $0 != "X" } ?? false }

    /// When it was started, in ticks since the system's start. With the number it is never that of another process.
    package var startTime: UInt64? { field(22).flatMap { UInt64($0) } }

    package var parent: Int32? { field(4).flatMap { Int32($0) } }

    /// The session, which is the process that began it.
    package var session: Int32? { field(6).flatMap { Int32($0) } }

    /// The processor time of the process and of those children that it has waited for, in ticks.
    package var processorTime: UInt64 { (14...17).reduce(0) { $0 &+ (field($1).flatMap { UInt64($0) } ?? 0) } }

    /// The processor time of all processes of a session, in ticks.
    package static func processorTime(ofSession session: Int32) -> UInt64 {
        FolderListing.names(in: "/proc").lazy.compactMap { Int32($0) }.map { ProcessFacts(pid: $0) }
            .filter { $0.session == session }.reduce(0) { $0 &+ $1.processorTime }
    }

    /// Whether it has loaded libpipewire; `nil` if that cannot be seen.
    package var usesPipeWire: Bool? {
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
