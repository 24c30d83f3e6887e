// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The peaks that a reader of a receiver's meters was told, of its first source.
final class MeterLog: Sendable {
    private let kept = Mutex<[Float]>([])

    /// Reads until the port is closed.
    init(_ receiver: ReceiverPort) {
        Task { [self] in
            for await sources in receiver.meters {
                if let peak = sources.first?.peak { kept.withLock { $0.append(peak) } }
            }
        }
    }

    var peaks: [Float] { kept.withLock { $0 } }
}
