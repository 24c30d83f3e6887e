// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// Anything that says which port is meant: a name, a port of this app, or one found in the graph.
public protocol PortDesignator {
    /// How the port is looked for.
    var portDesignation: PortDesignation { get }
}

/// Which port is meant.
public enum PortDesignation: Sendable, Hashable {
    /// By a name as ``ConnectionGraph/GraphSnapshot/port(named:as:)`` understands it. It may yet have to appear.
    case name(String)
    /// Exactly that port.
    case id(GraphPort.ID)
}

extension String: PortDesignator {
    public var portDesignation: PortDesignation { .name(self) }
}

extension GraphPort.ID: PortDesignator {
    public var portDesignation: PortDesignation { .id(self) }
}

extension GraphPort: PortDesignator {
    public var portDesignation: PortDesignation { .id(id) }
}
