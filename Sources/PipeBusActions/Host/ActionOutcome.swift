// SPDX-License-Identifier: MIT

/// How an action ended.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum ActionOutcome: Sendable {
    /// It has made these files, in the order in which the action gives them: one at least.
    case completed([ActionResult])
    /// The user, or the app that ran it, did not want it any more.
    case cancelled
    /// It gave no result. The files that it was run on are as they were.
    case failed(ActionFailure)
}
