// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// What a client keeps about when its ports run in a cycle.
struct Ordering {
    var order = PortOrder()
    /// The silent links that keep it.
    var links: [PortOrder.Pair: Link] = [:]
    /// Those that somebody removed, and that were made again.
    var remade: Set<PortOrder.Pair> = []
    /// What runs before the first port.
    var before: BeforeCycleMemory?
}
