// SPDX-License-Identifier: MIT

/// The number of ports with each node's name, so that one is known to be unique without a search.
struct NodeNameCounts {
    private var sources: [String: Int] = [:]
    private var destinations: [String: Int] = [:]

    init(of ports: [GraphPort]) {
        for port in ports {
            if !port.outputs.isEmpty { sources[port.nodeName, default: 0] += 1 }
            if !port.inputs.isEmpty { destinations[port.nodeName, default: 0] += 1 }
        }
    }

    /// The number of ports that can play a role.
    func count(of name: String, as role: GraphSnapshot.Role) -> Int {
        (role == .source ? sources : destinations)[name] ?? 0
    }
}
