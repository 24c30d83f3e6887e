// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// A value that designates a port: a name, a port of this app, or one of the graph.
///
/// - Thread: any.
/// - Realtime: unsafe.
public protocol PortDesignator {
    /// The form in which the port is looked up.
    var portDesignation: PortDesignation { get }
}

/// A designation of a port.
///
/// - Thread: any.
/// - Realtime: unsafe.
public enum PortDesignation: Sendable, Hashable {
    /// By a name, in any form of ``ConnectionGraph/GraphSnapshot/port(named:as:)``. The port need not exist yet.
    case name(String)
    /// Exactly that port.
    case id(GraphPort.ID)
    /// A port of the app that was closed, by its ``LocalPort/name``. Calls with it throw `closed`, also while another
    /// port has its name.
    case closed(String)
}

extension PortDesignation: PortDesignator {
    public var portDesignation: PortDesignation { self }
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
