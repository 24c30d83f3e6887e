// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The notices of a client about its ports.
final class NoticeLog: Sendable {
    private let kept = Mutex<[Notice]>([])

    var all: [Notice] { kept.withLock { $0 } }

    /// Goes on until the client is closed.
    ///
    /// - Parameter withoutPort: whether it takes those without a port instead, which are about the graph or the machine.
    init(_ notices: Updates<Notice>, withoutPort: Bool = false) {
        Task { [self] in
            for await notice in notices where (notice.port == nil) == withoutPort {
                kept.withLock { $0.append(notice) }
            }
        }
    }
}
