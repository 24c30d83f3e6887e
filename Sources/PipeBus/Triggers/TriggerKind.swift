// SPDX-License-Identifier: MIT

/// The meaning of a trigger. A patchbay shows the triggers of an app in this order.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum TriggerKind: String, Sendable, Hashable, CaseIterable {
    /// Goes back to the beginning.
    case rewind
    /// Starts or stops playing.
    case play
    /// Starts or stops recording. The usual look: red while it is `selected`, and green while it is `alternate`, when it waits to begin.
    case record
    /// Goes on to the next piece.
    case skip
    /// Anything else.
    case button

    /// The title unless the app gives another one.
    var title: String {
        switch self {
        case .rewind: "Rewind"
        case .play: "Play"
        case .record: "Record"
        case .skip: "Skip"
        case .button: "Button"
        }
    }
}
