// SPDX-License-Identifier: MIT

/// What the graph is built from: the daemon's objects coming, changing and going.
package enum GraphEvent: Sendable, Equatable {
    package enum Kind: Sendable { case other, client, node, port, link, metadata }

    case added(id: UInt32, kind: Kind, properties: [String: String])
    case properties(id: UInt32, [String: String])
    case removed(id: UInt32)
}
