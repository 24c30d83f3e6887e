// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The capture that a recording reads. That of an armed recorder is made when its trigger is pressed, so it has nothing from before.
///
/// - Thread: any.
final class RecordingCapture: Sendable {
    /// Whether the recording begins with a press.
    let isArmed: Bool
    private let capture: Mutex<Capture?>

    /// Creates one that has the sound from the first cycle of its port on.
    init(_ capture: Capture) {
        isArmed = false
        self.capture = Mutex(capture)
    }

    /// Creates one that has nothing before ``begin(_:)``.
    init() {
        isArmed = true
        capture = Mutex(nil)
    }

    /// `nil` while the recorder is armed.
    var present: Capture? { capture.withLock { $0 } }

    /// Makes the capture. Its first cycle is the first one that begins after that.
    func begin(_ make: () throws -> Capture) rethrows {
        let made = try make()
        capture.withLock { $0 = made }
    }
}
