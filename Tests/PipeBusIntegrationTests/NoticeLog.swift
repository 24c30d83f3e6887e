// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The notices of a client about its ports.
final class NoticeLog: Sendable {
    private let kept = Mutex<[Notice]>([])

    var all: [Notice] { kept.withLock { $0 } }

    /// Goes on until the client is closed.
    init(_ notices: Updates<Notice>) {
        Task { [self] in
            // A notice without a port is about the machine.
            for await notice in notices where notice.port != nil { kept.withLock { $0.append(notice) } }
        }
    }
}
