// SPDX-License-Identifier: MIT
import ConnectionGraph
import Glibc
import PipeWireClient
import Synchronization

/// Publishes the app's data in one session: each key in a metadata object of its own, so that a reader of one key is not sent the others.
/// Confined to the loop.
final class DataPublisher {
    private let connection: SessionConnection
    private let declared: DeclaredData
    private let appID: String
    private let notices: NoticeLog
    private var objects: [String: ExportedMetadata] = [:]
    private static let counter = Atomic<Int>(0)

    init(on connection: SessionConnection, _ declared: DeclaredData, appID: String, notices: NoticeLog) {
        self.connection = connection
        self.declared = declared
        self.appID = appID
        self.notices = notices
    }

    /// Publishes everything that is declared. A failure is only a notice.
    func publishAll() async {
        for key in declared.values.keys.sorted() where connection.isOpen && objects[key] == nil {
            do {
                try await publish(key)
            } catch {
                guard connection.isOpen else { return }
                post("Other apps cannot see this app's data \"\(Names.shown(key))\": \(Self.message(error))")
            }
        }
    }

    /// Publishes the declared value of a key, and waits until the daemon has taken it: what comes faster is held up, not piled up.
    func publish(_ key: String) async throws {
        guard let bytes = declared.values[key] else { return }
        do throws(PipeWireError) {
            let present = objects[key]
            let object: ExportedMetadata
            if let present { object = present } else { object = try makeObject(for: key) }
            objects[key] = object
            try object.set(PublishedData.valueKey, to: Base64.text(bytes), type: PublishedData.valueType)
            if present == nil { try await object.waitUntilBound() }
        } catch {
            throw PipeBusError(error)
        }
        try await connection.roundTrip()
    }

    private func makeObject(for key: String) throws(PipeWireError) -> ExportedMetadata {
        let number = Self.counter.add(1, ordering: .relaxed).newValue
        let object = try ExportedMetadata(
            on: connection.pipeWire, name: "\(PublishedData.namePrefix)\(appID).\(getpid()).\(number)",
            properties: [(PipeBusProperty.dataKey, key)]
        ) { _ in
            // Nobody else may write it. The daemon asks for the removal of each global's properties, so a request is no news.
        }
        object.onFailure = { [unowned self] _ in
            if connection.isOpen { connection.later { [weak self] in self?.lost(key) } }
        }
        return object
    }

    /// Another program has removed an object.
    private func lost(_ key: String) {
        guard connection.isOpen, let object = objects[key], object.failure != nil else { return }
        remove(key)
        post("Another program removed this app's data \"\(Names.shown(key))\" from the graph; publish it again.")
    }

    /// Idempotent.
    func remove(_ key: String) { objects.removeValue(forKey: key)?.close() }

    private func post(_ message: String) { notices.post(Notice(kind: .notShared, port: nil, message: message)) }

    private static func message(_ error: any Error) -> String {
        (error as? PipeBusError)?.message ?? "\(error)"
    }

    // MARK: The end

    func connectionLost(_ error: PipeWireError) { for object in objects.values { object.connectionLost(error) } }

    func close() {
        for object in objects.values { object.close() }
        objects = [:]
    }
}
