// SPDX-License-Identifier: MIT

/// A path of sound as a person sees it: a sender, filters, and a receiver, each connected to the next.
///
/// | on the path | rule |
/// | --- | --- |
/// | filters | the path leads through them, made with PipeBus or not; see ``isContinuous`` |
/// | a filter without sources, or without destinations | it begins or ends the path |
/// | a filter with several sources or destinations | one pipeline for each path |
/// | devices, and other ports with monitors | what they get ends there; what they give begins there |
/// | a loop | each port once; see ``isLoop`` |
/// | a port without connections | it is in no pipeline |
///
/// A port that is no filter may be the first and the last one, as a sound card whose input goes through a filter to its
/// output.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct Pipeline: Sendable, Hashable, Identifiable {
    /// The same after a restart of the apps or of the daemon.
    public let id: ID
    /// The ports in the direction of the sound. Never empty; one port alone is a filter that is connected to itself.
    public let ports: [GraphPort]
    /// Whether the path ends because the last port is connected to ports of the path alone.
    ///
    /// A loop that nothing leads into begins at the port whose names are the first in order. So it begins at the same
    /// port after a restart.
    public let isLoop: Bool
    /// Whether the sound of the first port comes to the last one: ``Certainty/unknown`` if a node on the way was not
    /// made with PipeBus. Never ``Certainty/no``.
    public let isContinuous: Certainty
    /// The age of the sound of the first port when it arrives at the last one, as far as the ports before it declare their latencies. One
    /// value: its bounds are equal.
    public let latency: DeclaredLatency

    init(id: ID, ports: [GraphPort], isLoop: Bool) {
        self.id = id
        self.ports = ports
        self.isLoop = isLoop
        isContinuous = ports.dropFirst().dropLast().allSatisfy(\.isTransparent) ? .yes : .unknown
        latency = ports.dropLast().reduce(.zero) { $0 + $1.declaredLatency }
    }

    /// The port that the path begins at.
    public var origin: GraphPort { ports[0] }
    /// The port that the path ends at.
    public var end: GraphPort { ports[ports.count - 1] }
}
