// SPDX-License-Identifier: MIT
import Glibc
import Synchronization

/// Control-Z and its signals, for a tool that has to bring the terminal back before it stops.
enum StopSignals {
    private static let stop = Atomic<Bool>(false)
    private static let resume = Atomic<Bool>(false)

    /// From now on SIGTSTP is only recorded.
    static func watch() {
        signal(SIGTSTP) { _ in StopSignals.stop.store(true, ordering: .relaxed) }
        signal(SIGCONT) { _ in StopSignals.resume.store(true, ordering: .relaxed) }
    }

    /// Whether somebody wants the tool to stop, since the last call.
    static func takeStop() -> Bool { stop.exchange(false, ordering: .relaxed) }

    /// Whether the tool goes on after a stop that it could not prepare for, since the last call.
    static func takeResume() -> Bool { resume.exchange(false, ordering: .relaxed) }

    /// Stops the tool's whole job, as the terminal does, until somebody resumes it.
    static func stopJob() {
        signal(SIGTSTP, SIG_DFL)
        kill(0, SIGTSTP)
        watch()
        _ = takeStop()
        _ = takeResume()
    }
}
