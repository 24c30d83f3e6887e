// SPDX-License-Identifier: MIT

/// Which nodes run, as the daemon reports it. For another process's node it does so after that process has answered. Confined to
/// the loop.
final class NodeStates {
    private var running: Set<UInt32> = []

    func changed(_ node: UInt32, isRunning: Bool) {
        if isRunning { running.insert(node) } else { running.remove(node) }
    }

    /// Forgets an object that is gone. Idempotent.
    func forget(_ id: UInt32) { running.remove(id) }

    func isRunning(_ node: UInt32) -> Bool { running.contains(node) }
}
