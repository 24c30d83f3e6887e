// SPDX-License-Identifier: MIT

/// A value that designates a port of a client: its name, or the port itself.
///
/// ```swift
/// let output = try await bus.sender("out", after: [input, "fx"], state: …) { … }
/// ```
///
/// - Thread: any.
/// - Realtime: unsafe.
public protocol LocalPortDesignator: Sendable {
    /// The form in which the port is looked up among those of the client.
    var localPortDesignation: LocalPortDesignation { get }
}

/// A designation of one of a client's ports.
///
/// - Thread: any.
/// - Realtime: unsafe.
public enum LocalPortDesignation: Sendable {
    /// By its ``LocalPort/name``. The port need not exist yet.
    case name(String)
    /// Exactly that port, which must be one of the client.
    case port(LocalPort)
}

extension String: LocalPortDesignator {
    public var localPortDesignation: LocalPortDesignation { .name(self) }
}

extension LocalPort: LocalPortDesignator {
    public final var localPortDesignation: LocalPortDesignation { .port(self) }
}

extension LocalPortDesignation: Hashable {
    public static func == (first: Self, second: Self) -> Bool {
        switch (first, second) {
        case (.name(let first), .name(let second)): first == second
        case (.port(let first), .port(let second)): first.handle === second.handle
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .name(let name): hasher.combine(name)
        case .port(let port): hasher.combine(ObjectIdentifier(port.handle))
        }
    }
}
