// SPDX-License-Identifier: MIT

/// The state of a trigger. The app keeps it true to its own state, and whoever shows the trigger follows.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum TriggerState: String, Sendable, Hashable, CaseIterable {
    case normal
    /// The trigger is on, as while the app records.
    case selected
    /// The trigger is about to be on, as while the app waits for sound to record.
    case alternate
    /// The trigger can not be pressed at present.
    case disabled
}
