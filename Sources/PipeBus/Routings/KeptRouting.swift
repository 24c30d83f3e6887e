// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// A routing that a client keeps: see ``BusClient/keep(_:lingers:)``.
///
/// It is kept until ``release()`` or until the client is closed; releasing the object does not end it.
///
/// - Thread: any.
/// - Realtime: unsafe.
public final class KeptRouting: Sendable {
    /// The connections that should be there.
    public let preset: RoutingPreset
    private let bus: BusClient
    private let publisher: RoutingPublisher
    private let number: Int

    init(_ preset: RoutingPreset, number: Int, publisher: RoutingPublisher, of bus: BusClient) {
        self.preset = preset
        self.number = number
        self.publisher = publisher
        self.bus = bus
    }

    /// The present status.
    ///
    /// - Realtime: unsafe: it takes a lock.
    public var status: RoutingStatus { publisher.status }

    /// The present status, and then the status after each change. Changes are coalesced.
    ///
    /// The sequence ends with the routing.
    public var statusUpdates: Updates<RoutingStatus> { Updates { [publisher] in publisher.subscribe() } }

    /// Stops to keep the routing. Its connections stay, unless they do not linger. Idempotent.
    ///
    /// When the call returns, nothing is made any more: a connection that was being made is there, or nothing of it.
    public func release() async { await bus.releaseRouting(number) }
}
