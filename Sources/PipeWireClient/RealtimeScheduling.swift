// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

/// The kernel's scheduling of the audio thread. PipeWire's real-time module is requested to raise it.
package enum RealtimeScheduling {
    /// The reason why the audio thread has no real-time priority; `nil` if it has one, or if there is no such thread.
    ///
    /// - Thread: the loop's.
    package static func reasonForMissingPriority() -> String? {
        let policies = audioThreads().map { sched_getscheduler($0) & ~resetOnFork }
        guard !policies.isEmpty, !policies.contains(SCHED_FIFO), !policies.contains(SCHED_RR) else { return nil }
        var limit = rlimit()
        let isAllowed = unsafe getrlimit(Int32(__RLIMIT_RTPRIO.rawValue), &limit) == 0 && limit.rlim_cur > 0
        return isAllowed
            ? "PipeWire's configuration loads no real-time module" : "RLIMIT_RTPRIO is 0 and RTKit did not help"
    }

    /// Writes a line to PipeWire's own log, where people look for the cause of xruns.
    package static func log(_ message: String) { unsafe pbpw_log_warning(message) }

    private static let resetOnFork: Int32 = 0x4000_0000

    /// The threads that may be audio threads.
    ///
    /// Newer versions name them "data-loop.0". On 0.3.65 they have the name of the thread that made them, which is the
    /// loop's. With several clients in the process, the loops of other clients are included. That does no harm, since
    /// one thread with priority is enough.
    private static func audioThreads() -> [pid_t] {
        guard let directory = unsafe opendir("/proc/self/task") else { return [] }
        defer { unsafe closedir(directory) }
        let me = pbpw_thread_id()
        let ownName = threadName("\(me)")
        var found: [pid_t] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard let thread = pid_t(name), thread != me else { continue }
            let title = threadName(name)
            if title.hasPrefix("data-loop") || title == ownName { found.append(thread) }
        }
        return found
    }

    private static func threadName(_ thread: String) -> String {
        guard let file = unsafe fopen("/proc/self/task/\(thread)/comm", "r") else { return "" }
        defer { unsafe fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = unsafe fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
