// SPDX-License-Identifier: MIT

/// How old the sound is that a sender gives.
///
/// ```swift
/// let input = try await bus.receiver("in", state: …) { … }
/// let output = try await bus.sender("out", latency: .following(input), state: …) { … }
/// ```
///
/// - Thread: any. A value.
public struct PortLatency: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// A receiver of the same client whose latency is added.
    let followed: LocalPortDesignation?
    let ownFrames: Int

    /// The name of that receiver.
    var receiver: String? {
        switch followed {
        case .name(let name): name
        case .port(let port): port.name
        case nil: nil
        }
    }

    /// A fixed latency, 0…1 048 576 frames at the graph's rate. An integer literal is one, too.
    public static func frames(_ frames: Int) -> PortLatency { PortLatency(followed: nil, ownFrames: frames) }

    /// The latency of what a receiver of the same client hands over, for a sender that gives what it makes of that.
    ///
    /// The sender's latency is kept up to date by itself: it is ``ReceiverPort/latency`` in frames plus a number of frames.
    /// A sender that follows a receiver also runs after it, as if the receiver were named in `after:`, so no cycle comes in
    /// between and the sum is exact. Without such a receiver, and while nothing is connected to it, only the added frames
    /// count. Sound of sources that bring back what this client sends does not count, or the sum would grow with each
    /// round.
    ///
    /// - Parameters:
    ///   - receiver: a receiver of the same client.
    ///   - frames: what the app itself adds, 0…1 048 576 frames at the graph's rate.
    public static func following(_ receiver: ReceiverPort, plus frames: Int = 0) -> PortLatency {
        PortLatency(followed: .port(receiver), ownFrames: frames)
    }

    /// The latency of what a receiver of the same client hands over, as ``following(_:plus:)-(ReceiverPort,_)`` has it. The
    /// receiver may be added later.
    ///
    /// - Parameters:
    ///   - receiver: the receiver's ``LocalPort/name``.
    ///   - frames: what the app itself adds, 0…1 048 576 frames at the graph's rate.
    public static func following(_ receiver: String, plus frames: Int = 0) -> PortLatency {
        PortLatency(followed: .name(receiver), ownFrames: frames)
    }

    private init(followed: LocalPortDesignation?, ownFrames: Int) {
        self.followed = followed
        self.ownFrames = ownFrames
    }

    public init(integerLiteral frames: Int) { self.init(followed: nil, ownFrames: frames) }
}
