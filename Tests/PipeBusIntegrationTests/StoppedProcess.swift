// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTesting

/// Waits until a process that was sent SIGSTOP has stopped: the signal's sender does not wait for that.
func eventuallyStopped(_ pid: Int32) async throws {
    try await eventually("process \(pid) to stop") {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        return status.contains("State:\tT")
    }
}
