// SPDX-License-Identifier: MIT

/// What the daemon tells about its objects.
package enum RegistryEvent: Sendable, Equatable {
    package enum Kind: UInt32, Sendable { case other = 0, client, node, port, link, metadata }

    case added(id: UInt32, kind: Kind, properties: [String: String])
    /// All properties of a client or a node, whenever one changes.
    case properties(id: UInt32, [String: String])
    case removed(id: UInt32)
}
