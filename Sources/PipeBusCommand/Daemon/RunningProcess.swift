// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import ToolSupport

/// A process whose end is watched, though it is no child. Its number may be given to another one later.
struct RunningProcess: Sendable {
    private let number: Int
    private let startTime: Substring

    /// - Throws: ``ToolFailure`` if there is none.
    init(_ number: Int) throws {
        guard let startTime = Self.startTime(of: number) else {
            throw ToolFailure("There is no process \(number) to end with; \"$$\" is the shell's number.")
        }
        self.number = number
        self.startTime = startTime
    }

    /// The first process of the terminal's session, most often a shell; `nil` if that is this process, or one outside of the
    /// container.
    static var session: RunningProcess? {
        let number = getsid(0)
        return number > 0 && number != getpid() ? try? RunningProcess(Int(number)) : nil
    }

    var isRunning: Bool { Self.startTime(of: number) == startTime }

    /// The time of its start, as proc(5) has it; `nil` of a process that has ended, also if nobody has waited for it.
    private static func startTime(of number: Int) -> Substring? {
        guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        // The state is field 3, the first behind the name; the start is field 22.
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
        return fields[19]
    }
}
