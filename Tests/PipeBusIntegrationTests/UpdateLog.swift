// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTesting
import Synchronization

/// The elements of a receiver's `sourceUpdates`, in order.
final class UpdateLog: Sendable {
    private let kept = Mutex<[Source.Changes]>([])
    private let flag = Flag()

    /// Listens from now on.
    init(_ receiver: ReceiverPort) async {
        let updates = receiver.sourceUpdates
        Task { [self] in
            for await changes in updates { kept.withLock { $0.append(changes) } }
            flag.raise()
        }
    }

    var all: [Source.Changes] { kept.withLock { $0 } }
    var hasEnded: Bool { flag.isRaised }

    /// The first new element that fits. Earlier ones are dropped.
    func next(_ what: String, where isIt: (Source.Changes) -> Bool) async throws -> Source.Changes {
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
