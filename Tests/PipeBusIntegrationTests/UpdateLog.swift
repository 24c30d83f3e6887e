// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTesting
import Synchronization

/// What a receiver's `sourceUpdates` told, as it came.
final class UpdateLog: Sendable {
    private let kept = Mutex<[SourceChanges]>([])
    private let flag = Flag()

    /// Listens from now on.
    init(_ receiver: ReceiverPort) async {
        let updates = receiver.sourceUpdates
        Task { [self] in
            for await changes in updates { kept.withLock { $0.append(changes) } }
            flag.raise()
        }
    }

    var all: [SourceChanges] { kept.withLock { $0 } }
    var hasEnded: Bool { flag.isRaised }

    /// What was told since the last call, once something is among it.
    func next(_ what: String, where isIt: (SourceChanges) -> Bool) async throws -> SourceChanges {
        try await eventualResult(what) {
            kept.withLock { kept in
                guard let index = kept.firstIndex(where: isIt) else { return nil }
                let found = kept[index]
                kept.removeSubrange(...index)
                return found
            }
        }
    }
}
