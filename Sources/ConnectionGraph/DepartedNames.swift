// SPDX-License-Identifier: MIT

/// The names of the ports that have left a graph last, for errors about them.
///
/// They are no part of the graph's value: two of them are always equal.
struct DepartedNames: Sendable, Equatable {
    private static let most = 256
    /// The oldest first.
    private var ports: [(id: GraphPort.ID, name: String)] = []

    mutating func add(_ port: GraphPort) {
        if ports.count >= Self.most { ports.removeFirst() }
        ports.append((port.id, port.nodeName))
    }

    subscript(id: GraphPort.ID) -> String? { ports.last { $0.id == id }?.name }

    static func == (left: Self, right: Self) -> Bool { true }
}

extension GraphSnapshot {
    /// The name of a port that has gone; `nil` if it went long ago, or with an earlier daemon.
    package func departedName(of id: GraphPort.ID) -> String? { store.departed[id] }
}
