// SPDX-License-Identifier: MIT
import Foundation
import Glibc

/// What a process holds, from `/proc`.
package struct ProcessFigures: Sendable {
    package var descriptors: Int { kinds.values.reduce(0, +) }
    /// How many descriptors there are of each kind: the targets of their links in `/proc`, without numbers.
    package var kinds: [String: Int] = [:]
    /// Resident memory, in kilobytes.
    package var memory: Int

    /// - Parameter pid: a process of this user; by default this one.
    package init(of pid: Int32 = getpid()) throws {
        let folder = "/proc/\(pid)/fd"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            // One that is gone is the folder's own.
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") else {
                continue
            }
            kinds[target.filter { !$0.isNumber }, default: 0] += 1
        }
        memory = try Self.memory(of: pid)
    }

    /// Resident memory alone, in kilobytes: a process may have many thousand descriptors.
    package static func memory(of pid: Int32 = getpid()) throws -> Int {
        let pages = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8).split(separator: " ")
        return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * Int(getpagesize()) / 1024
    }

    /// The processor time that all threads of a process have taken since its start, in seconds. It counts in hundredths.
    package static func processorTime(of pid: Int32 = getpid()) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        // The program's name is in brackets, and may hold anything. After it the state is the first field.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst()
        let times = fields.dropFirst(11).prefix(2).compactMap { Double($0) }
        return times.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// CLOCK_MONOTONIC, in nanoseconds.
    package static var now: UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}
