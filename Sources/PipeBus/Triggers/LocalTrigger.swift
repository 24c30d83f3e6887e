// SPDX-License-Identifier: MIT

/// A trigger of this app; see ``BusClient/addTrigger(_:id:face:state:perform:)``.
///
/// It stays until ``remove()`` or until the client is closed; releasing the object does not remove it.
///
/// - Thread: any.
/// - Realtime: unsafe.
public final class LocalTrigger: Sendable {
    /// The identifier; see ``Trigger/id``.
    public let id: String
    /// What the trigger is for.
    public let kind: TriggerKind
    private let client: BusClient

    init(id: String, kind: TriggerKind, of client: BusClient) {
        self.id = id
        self.kind = kind
        self.client = client
    }

    /// The trigger as others see it.
    ///
    /// - Throws: ``PipeBusError`` `closed` once it is removed.
    public var present: Trigger { get async throws { try await client.trigger(self) } }

    /// Sets the state, for all who show the trigger. A trigger that is `disabled` cannot be pressed.
    ///
    /// - Throws: ``PipeBusError`` `closed`.
    public func setState(_ state: TriggerState) async throws { try await client.setState(state, of: self) }

    /// Sets the look in one state, or in all that have none of their own.
    ///
    /// - Throws: ``PipeBusError`` `invalidArgument`, `closed`.
    public func setFace(_ face: TriggerFace, in state: TriggerState? = nil) async throws {
        try await client.setFace(face, in: state, of: self)
    }

    /// Removes the trigger. A press that is being handled is handled to its end. Idempotent.
    public func remove() async { await client.remove(self) }
}
