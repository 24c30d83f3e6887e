// SPDX-License-Identifier: MIT
import PipeBusTesting
import PipeWireClient

/// A client in this process that exports metadata objects or uses those of others, and records all reports.
actor MetadataClient {
    typealias Request = ExportedMetadata.Request
    typealias Property = BoundMetadata.Property

    /// The answer of an object's owner to a request.
    enum Answer: Sendable { case refuse, accept, close }

    nonisolated let loop: PipeWireLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private let remote: String
    private var connection: PipeWireConnection!
    private var beside: PipeWireConnection?
    /// The metadata objects there are, by their names.
    private(set) var objects: [String: (id: UInt32, properties: [String: String])] = [:]
    private var exported: ExportedMetadata?
    private var bound: [BoundMetadata] = []
    private(set) var requests: [Request] = []
    private(set) var properties: [Property] = []
    private(set) var failures: [PipeWireError] = []

    private init(_ loop: PipeWireLoop, _ remote: String) {
        self.loop = loop
        self.remote = remote
    }

    static func connect(to daemon: HeadlessPipeWire, recorder: CallRecorder? = nil) async throws -> MetadataClient {
        let client = MetadataClient(try PipeWireLoop(), daemon.remote)
        try await client.open(recorder)
        return client
    }

    private func open(_ recorder: CallRecorder?) async throws {
        connection = try PipeWireConnection(loop: loop, properties: [], remote: remote, recorder: recorder)
        connection.onRegistryEvent = { [unowned self] event in assumeIsolated { $0.registryChanged(event) } }
        connection.onFailure = { [unowned self] error in assumeIsolated { $0.connectionLost(error) } }
        try await connection.open(timeout: .seconds(5))
    }

    private func registryChanged(_ event: RegistryEvent) {
        switch event {
        case .added(let id, .metadata, let properties):
            if let name = properties["metadata.name"] { objects[name] = (id, properties) }
        case .removed(let id):
            objects = objects.filter { $0.value.id != id }
        default: break
        }
    }

    private func connectionLost(_ error: PipeWireError) {
        exported?.connectionLost(error)
        for object in bound { object.connectionLost(error) }
    }

    func sync(timeout: Duration = .seconds(5)) async throws { try await connection.sync(timeout: timeout) }

    /// Comes back after the loop has been through the end of a turn, where libpipewire sends what was written.
    func afterItsMessagesLeft() async {
        for _ in 0..<2 {
            let turn = Waiter<Void>()
            let timer = LoopTimer(on: loop, after: .milliseconds(1)) { turn.resume(returning: ()) }
            try? await turn.value(within: .seconds(5), on: loop, waitingFor: "a turn of the loop")
            timer.cancel()
        }
    }

    // MARK: Owning

    func export(
        _ name: String, properties: [(String, String)] = [], answer: @escaping @Sendable (Request) -> Answer
    ) async throws {
        let object = try ExportedMetadata(on: connection, name: name, properties: properties) {
            [unowned self] request in
            assumeIsolated { $0.answer(request, answer(request)) }
        }
        exported = object
        object.onFailure = { [unowned self] error in assumeIsolated { $0.failures.append(error) } }
        try await object.waitUntilBound()
    }

    private func answer(_ request: Request, _ answer: Answer) {
        requests.append(request)
        switch (answer, request.key) {
        case (.refuse, _), (.accept, nil): break
        case (.close, _): exported?.close()
        case (.accept, let key?):
            if let value = request.value {
                try? exported?.set(key, to: value, type: request.type ?? "")
            } else {
                try? exported?.remove(key)
            }
        }
    }

    var exportedID: UInt32? { exported?.globalID }
    var exportedKeys: [String] { exported?.keys ?? [] }
    func value(of key: String) -> String? { exported?.value(of: key) }
    func set(_ key: String, to value: String) throws { try exported!.set(key, to: value, type: "Spa:String") }
    func remove(_ key: String) throws { try exported!.remove(key) }
    func closeExported() { exported?.close() }

    // MARK: Using

    /// Waits until there is an object of that name, and binds it.
    func bind(_ name: String) async throws {
        let id = try await eventualResult("\(name) to come") { objects[name]?.id }
        try bind(id: id)
    }

    func bind(id: UInt32, closesOnProperty: Bool = false) throws {
        let object = try BoundMetadata(on: connection, id: id)
        bound.append(object)
        object.onProperty = { [unowned self] property in
            assumeIsolated {
                $0.properties.append(property)
                if closesOnProperty { $0.closeBound() }
            }
        }
        object.onFailure = { [unowned self] error in assumeIsolated { $0.failures.append(error) } }
    }

    /// Binds the object through a side connection on the same loop.
    func bindBeside(_ name: String) async throws {
        let connection = try PipeWireConnection(loop: loop, properties: [], remote: remote)
        beside = connection
        try await connection.open(timeout: .seconds(5))
        let id = try await eventualResult("\(name) to come") { objects[name]?.id }
        bound.append(try BoundMetadata(on: connection, id: id))
    }

    func syncBeside(timeout: Duration) async throws { try await beside!.sync(timeout: timeout) }

    func closeBeside() {
        closeBound()
        beside?.close()
    }

    func ask(_ key: String, toBe value: String) throws { try bound[0].set(key, to: value, type: "Spa:String") }
    func askToRemove(_ key: String) throws { try bound[0].remove(key) }
    func closeBound() { for object in bound { object.close() } }

    func values(_ key: String) -> [String?] { properties.filter { $0.key == key }.map(\.value) }

    /// The changes without the values that were published again.
    func changes(_ key: String) -> [String?] {
        values(key).reduce(into: []) { changes, value in
            if changes.last != .some(value) { changes.append(value) }
        }
    }

    // MARK: Ending

    /// - Parameter closesObjects: otherwise the connection goes first.
    func close(closesObjects: Bool = true) async {
        if closesObjects {
            exported?.close()
            closeBound()
        }
        beside?.close()
        try? await connection.sync(timeout: .seconds(2))
        connection.close()
        exported?.close()
        closeBound()
        await OffLoop.stop(loop)
    }

    func closeConnection() { connection.close() }
}

/// A loop cannot end from inside.
enum OffLoop {
    @concurrent
    static func stop(_ loop: PipeWireLoop) async { loop.stop() }
}
