// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The peaks of a receiver's first source, as one reader of its meters had them.
final class MeterLog: Sendable {
    private let kept = Mutex<[Float]>([])

    /// Reads until the port is closed.
    init(_ receiver: ReceiverPort) {
        Task { [self] in
            for await readings in receiver.meters {
                if let peak = readings.first?.meter.peak { kept.withLock { $0.append(peak) } }
            }
        }
    }

    var peaks: [Float] { kept.withLock { $0 } }
}
