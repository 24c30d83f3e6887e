// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The clocks of a client, from the present one on.
final class ClockLog: Sendable {
    private let kept = Mutex<[ClockState?]>([])
    private let flag = Flag()

    init(_ bus: BusClient) {
        let updates = bus.clockUpdates
        Task { [self] in
            for await clock in updates { kept.withLock { $0.append(clock) } }
            flag.raise()
        }
    }

    var all: [ClockState?] { kept.withLock { $0 } }
    var hasEnded: Bool { flag.isRaised }
}
