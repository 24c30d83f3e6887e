// SPDX-License-Identifier: MIT

/// The triggers of the app. Confined to the loop.
final class DeclaredTriggers {
    private(set) var all: [DeclaredTrigger] = []
    private var nextPlace = 0

    subscript(id: String) -> DeclaredTrigger? { all.first { $0.local.id == id } }

    /// - Throws: ``PipeBusError`` `closed` for one that was removed.
    func require(_ local: LocalTrigger) throws -> DeclaredTrigger {
        guard let trigger = all.first(where: { $0.local === local }) else {
            throw PipeBusError(.closed, "The trigger \"\(local.id)\" was removed before; add it again to go on.")
        }
        return trigger
    }

    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`.
    func add(
        _ local: LocalTrigger, face: TriggerFace, state: TriggerState, presses: AsyncStream<TriggerPress>.Continuation
    ) throws {
        try Trigger.check(id: local.id)
        try face.check()
        guard self[local.id] == nil else {
            throw PipeBusError(
                .duplicateName, "This app has a trigger \"\(local.id)\" already; give each an identifier of its own.")
        }
        guard all.count < Trigger.largestCount else {
            throw PipeBusError(
                .invalidArgument,
                "This app has \(Trigger.largestCount) triggers already, which is the most; remove one first.")
        }
        all.append(DeclaredTrigger(local, place: nextPlace, state: state, face: face, presses: presses))
        nextPlace += 1
    }

    /// Idempotent.
    func remove(_ local: LocalTrigger) {
        for trigger in all where trigger.local === local { trigger.end() }
        all.removeAll { $0.local === local }
    }

    func removeAll() {
        for trigger in all { trigger.end() }
        all = []
    }
}
