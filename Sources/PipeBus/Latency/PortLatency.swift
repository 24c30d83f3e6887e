// SPDX-License-Identifier: MIT

/// The latency of a sender: the age of its sound.
///
/// ```swift
/// let input = try await bus.receiver("in", state: …) { … }
/// let output = try await bus.sender("out", latency: .following(input), state: …) { … }
/// ```
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct PortLatency: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// The receiver of the same client whose latency is added, if any.
    let followed: LocalPortDesignation?
    /// The fixed part, in frames.
    let ownFrames: Int

    /// The name of the followed receiver.
    var receiver: String? {
        switch followed {
        case .name(let name): name
        case .port(let port): port.name
        case nil: nil
        }
    }

    /// A fixed latency, 0…1 048 576 frames at the graph's rate. An integer literal is a fixed latency as well.
    public static func frames(_ frames: Int) -> PortLatency { PortLatency(followed: nil, ownFrames: frames) }

    /// The latency of a receiver's mix, for a sender that sends sound made of that mix.
    ///
    /// The latency is ``ReceiverPort/latency`` in frames plus a number of frames, and is kept up to date automatically.
    ///
    /// * A sender that follows a receiver also runs after it, as if the receiver were named in `after:`. So no cycle comes
    ///   in between, and the sum is exact.
    /// * Only the added frames count while no port of the receiver's name exists, and while nothing is connected to it.
    /// * Sources that return this sender's own sound do not count: the sum would grow with each round.
    ///
    /// - Parameters:
    ///   - receiver: a receiver of the same client.
    ///   - frames: the latency that the app itself adds, 0…1 048 576 frames at the graph's rate.
    public static func following(_ receiver: ReceiverPort, plus frames: Int = 0) -> PortLatency {
        PortLatency(followed: .port(receiver), ownFrames: frames)
    }

    /// The latency of a receiver's mix, by the receiver's name; see ``following(_:plus:)-(ReceiverPort,_)``. The receiver
    /// may be added later.
    ///
    /// - Parameters:
    ///   - receiver: the receiver's ``LocalPort/name``.
    ///   - frames: the latency that the app itself adds, 0…1 048 576 frames at the graph's rate.
    public static func following(_ receiver: String, plus frames: Int = 0) -> PortLatency {
        PortLatency(followed: .name(receiver), ownFrames: frames)
    }

    private init(followed: LocalPortDesignation?, ownFrames: Int) {
        self.followed = followed
        self.ownFrames = ownFrames
    }

    public init(integerLiteral frames: Int) { self.init(followed: nil, ownFrames: frames) }
}
