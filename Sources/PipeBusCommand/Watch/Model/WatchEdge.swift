// SPDX-License-Identifier: MIT
import PipeBus

/// A connection as the screen knows it.
struct WatchEdge: Hashable, Sendable {
    var source: GraphPort.ID
    var destination: GraphPort.ID
}
