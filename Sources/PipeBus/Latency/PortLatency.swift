// SPDX-License-Identifier: MIT

/// How old the sound is that a sender gives.
///
/// ```swift
/// let input = try await bus.receiver("in", state: …) { … }
/// let output = try await bus.sender("out", latency: .following("in"), state: …) { … }
/// ```
///
/// - Thread: any. A value.
public struct PortLatency: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// A receiver of the same client whose latency is added, by its name.
    let receiver: String?
    let ownFrames: Int

    /// A fixed latency, 0…1 048 576 frames at the graph's rate. An integer literal is one, too.
    public static func frames(_ frames: Int) -> PortLatency { PortLatency(receiver: nil, ownFrames: frames) }

    /// The latency of what a receiver of the same client hands over, for a sender that gives what it makes of that.
    ///
    /// The sender's latency is kept up to date by itself: it is ``ReceiverPort/latency`` in frames plus a number of frames.
    /// A sender that follows a receiver also runs after it, as if the receiver were named in `after:`, so no cycle comes in
    /// between and the sum is exact. Without such a receiver, and while nothing is connected to it, only the added frames
    /// count. Sound of sources that bring back what this client sends does not count, or the sum would grow with each
    /// round.
    ///
    /// - Parameters:
    ///   - receiver: the receiver's ``LocalPort/name``. It may be added later.
    ///   - frames: what the app itself adds, 0…1 048 576 frames at the graph's rate.
    public static func following(_ receiver: String, plus frames: Int = 0) -> PortLatency {
        PortLatency(receiver: receiver, ownFrames: frames)
    }

    private init(receiver: String?, ownFrames: Int) {
        self.receiver = receiver
        self.ownFrames = ownFrames
    }

    public init(integerLiteral frames: Int) { self.init(receiver: nil, ownFrames: frames) }
}
