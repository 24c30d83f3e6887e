// SPDX-License-Identifier: MIT

/// How long an action may take.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct ActionLimits: Sendable, Hashable {
    /// The time limit for all of it; none by default. A sound may have any length.
    public var whole: Duration?
    /// How long the action may show no sign of work: to start, and between two reports of its progress. 30 s by default. An interactive action
    /// that has started waits for its user, and need only be there.
    public var silence: Duration

    /// Limits; 30 s without a sign of work, and no others, unless given.
    public init(whole: Duration? = nil, silence: Duration = .seconds(30)) {
        (self.whole, self.silence) = (whole, silence)
    }
}
