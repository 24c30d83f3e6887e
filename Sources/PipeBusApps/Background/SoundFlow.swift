// SPDX-License-Identifier: MIT

/// Whether sound flows to or from an app's ports, and for how long that holds after it stops. Pure.
///
/// It flows while a port is connected and the graph runs it. Silence is sound: nothing listens to the samples.
struct SoundFlow: Sendable, Hashable {
    /// From one look to the next one, while a port is connected.
    static let interval: Duration = .seconds(1)
    /// From the last look at which sound flowed to the end.
    let releaseDelay: Duration
    private var lastCycles: UInt64?
    private var lastFlow: Duration?
    private(set) var isFlowing = false
    /// When to look again; `nil` for the next change of the graph.
    private(set) var nextLook: Duration?

    init(releaseDelay: Duration) { self.releaseDelay = releaseDelay }

    /// - Parameter cycles: a count that grows while the graph runs the ports.
    mutating func look(isConnected: Bool, cycles: UInt64, at now: Duration) {
        if isConnected, let lastCycles, cycles != lastCycles { lastFlow = now }
        lastCycles = isConnected ? cycles : nil
        isFlowing = lastFlow.map { now < $0 + releaseDelay } ?? false
        if !isFlowing { lastFlow = nil }
        nextLook = isConnected || isFlowing ? now + Self.interval : nil
    }
}
