// SPDX-License-Identifier: MIT

/// Whether filters are bypassed, in a ``RoutingPreset``.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct RoutingBypass: Sendable, Hashable {
    /// The filters. Ports that are no filters made with PipeBus are passed over.
    public var filter: PortMatcher
    /// Whether they are to be bypassed.
    public var isBypassed: Bool

    /// The bypass of a filter, or of several.
    public init(_ filter: PortMatcher, isBypassed: Bool) {
        self.filter = filter
        self.isBypassed = isBypassed
    }
}
