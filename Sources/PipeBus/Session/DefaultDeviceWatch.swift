// SPDX-License-Identifier: MIT
import PipeWireClient

/// Follows the user's default output device while a receiver needs it. Confined to the loop.
///
/// The metadata object is nearly always a session manager's. The daemon stops serving a connection that binds such an object
/// until its owner has answered, so it is bound over a side connection: a session manager that hangs holds up nothing else.
final class DefaultDeviceWatch {
    /// The time after which a failed attempt to read the object is repeated.
    private static let retryDelay: Duration = .seconds(5)

    private let connection: SessionConnection
    private let requests: PeerRequests
    /// The objects of that name, oldest first.
    private var objects: [UInt32] = []
    private var side: PipeWireConnection?
    private var bound: BoundMetadata?
    /// Whether ``open()`` is under way.
    private(set) var isOpening = false
    /// The number of calls of ``close()``: one may come while ``open()`` is under way.
    private var closeCount = 0
    private var isRetryDue = false
    /// The name of the device's node; `nil` while none is known.
    private(set) var nodeName: String?
    /// Called in a job when the name has changed, or when ``open()`` is worth another call.
    var onChange: (() -> Void)?

    init(on connection: SessionConnection, _ requests: PeerRequests) {
        self.connection = connection
        self.requests = requests
    }

    func appeared(_ id: UInt32, _ properties: [String: String]) {
        guard properties["metadata.name"] == DefaultDevice.objectName else { return }
        objects.append(id)
        notify()
    }

    func disappeared(_ id: UInt32) {
        guard let index = objects.firstIndex(of: id) else { return }
        objects.remove(at: index)
        guard bound?.id == id else { return }
        // In a job, because nothing may be destroyed inside PipeWire's callback.
        connection.later { [weak self] in self?.reset() }
    }

    /// Whether ``open()`` has something to do.
    var isDue: Bool { connection.isOpen && bound == nil && !isOpening && !isRetryDue && !objects.isEmpty }

    /// Begins to read the object, if there is one. Idempotent.
    func open() async {
        guard isDue, let id = objects.first else { return }
        isOpening = true
        defer { isOpening = false }
        let closeCount = closeCount
        do throws(PipeWireError) {
            let side = try requests.makeConnection()
            self.side = side
            side.onFailure = { [unowned self] _ in connection.later { [weak self] in self?.reset() } }
            try await side.open(timeout: .seconds(2))
            guard connection.isOpen, self.side === side, objects.first == id else { throw .closed }
            let metadata = try BoundMetadata(on: side, id: id)
            metadata.onProperty = { [unowned self] property in received(property) }
            bound = metadata
            try await side.sync(timeout: .seconds(2))
        } catch {
            // What was closed meanwhile has not failed.
            guard connection.isOpen, closeCount == self.closeCount else { return }
            isRetryDue = true
            connection.after(Self.retryDelay) { [weak self] in
                self?.isRetryDue = false
                self?.onChange?()
            }
            reset()
        }
    }

    private func received(_ property: BoundMetadata.Property) {
        guard property.key == nil || property.key == DefaultDevice.key else { return }
        let name = property.value.flatMap { DefaultDevice.name(in: $0) }
        guard name != nodeName else { return }
        nodeName = name
        notify()
    }

    private func notify() { connection.later { [weak self] in self?.onChange?() } }

    private func reset() {
        release()
        nodeName = nil
        onChange?()
    }

    /// Ends the reading, because no receiver needs it, or the session ends. Idempotent.
    func close() {
        closeCount += 1
        release()
        nodeName = nil
    }

    private func release() {
        bound?.close()
        bound = nil
        side?.close()
        side = nil
    }
}
