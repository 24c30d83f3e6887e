// SPDX-License-Identifier: MIT
import CPipeWireTesting
import Glibc

/// This process with all that it has started, and all that these have started.
///
/// A process group or a session can be left. The tree cannot: an orphan in it stays a descendant of this process.
///
/// - Thread: any.
package enum ProcessTree {
    /// Lets orphans among the descendants become children of this process, and not of init (prctl(2),
    /// PR_SET_CHILD_SUBREAPER). It is for processes that are started from then on.
    ///
    /// - Returns: whether the system does so.
    package static func adoptOrphans() -> Bool { pbpw_adopt_orphans() == 0 }

    /// Whether a process descends from another one. Neither need run still.
    package static func isDescendant(_ pid: Int32, of ancestor: Int32) -> Bool {
        var pid = pid
        // Deeper than any program starts another one.
        for _ in 0..<64 {
            guard pid > 1, let status = ProcessStatus(of: pid) else { return false }
            if status.parent == ancestor { return true }
            pid = status.parent
        }
        return false
    }

    /// The descendants of this process that run.
    package static var descendants: [Int32] {
        let own = getpid()
        return ProcessStatus.all.filter { pid in
            ProcessStatus(of: pid)?.isRunning == true && isDescendant(pid, of: own)
        }
    }

    /// Ends all descendants: first by SIGTERM, and those that run after a time by SIGKILL. It takes the ends of all children, so it is
    /// for the end of a process.
    ///
    /// - Parameters:
    ///   - spared: processes that get no SIGTERM, because others need them until they have ended.
    ///   - grace: the time between the two.
    package static func endDescendants(sparing spared: Set<Int32> = [], after grace: Duration) async {
        for pid in descendants where !spared.contains(pid) { _ = kill(pid, SIGTERM) }
        let deadline = ContinuousClock.now.advanced(by: grace)
        while ContinuousClock.now < deadline, descendants.contains(where: { !spared.contains($0) }) { await pause() }
        // One that was started meanwhile is found the next time.
        for _ in 0..<1000 {
            let rest = descendants
            guard !rest.isEmpty else { return reap() }
            for pid in rest { _ = kill(pid, SIGKILL) }
            await pause()
        }
    }

    /// Waits for children that have ended: in a container nobody may do that for this process.
    private static func reap() { while waitpid(-1, nil, WNOHANG) > 0 {} }

    /// The system reports the end of no other descendant than a child.
    private static func pause() async { try? await Task.sleep(for: .milliseconds(5)) }
}
