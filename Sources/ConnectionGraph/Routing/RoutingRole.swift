// SPDX-License-Identifier: MIT

/// What a port can be in a routing.
enum RoutingRole: Hashable, Sendable {
    case source, destination, filter

    func canBePlayed(by port: GraphPort) -> Bool {
        switch self {
        case .source: !port.outputs.isEmpty
        case .destination: !port.inputs.isEmpty
        case .filter: port.isPipeBus && port.kind == .filter
        }
    }
}
