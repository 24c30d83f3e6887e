// SPDX-License-Identifier: MIT

/// A change of one of the daemon's objects, from which the graph is built.
package enum GraphEvent: Sendable, Equatable {
    package enum Kind: Sendable { case other, client, node, port, link, metadata }

    case added(id: UInt32, kind: Kind, properties: [String: String])
    case properties(id: UInt32, [String: String])
    case removed(id: UInt32)
}
