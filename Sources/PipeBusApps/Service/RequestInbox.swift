// SPDX-License-Identifier: MIT
import DesktopSupport
import Synchronization

/// An app's name and object on the session bus, and the requests that have come: from when it is opened, also before the app takes them.
///
/// - Thread: any.
final class RequestInbox: Sendable {
    let bus: SessionBus
    /// Whether this process has the app's name. Otherwise another process of the app has it, and gets the requests.
    let hasName: Bool
    let log: RequestLog
    let requests: AsyncStream<ServiceRequest>
    let writer: AsyncStream<ServiceRequest>.Continuation
    /// `nil` where the app has a GApplication, which has put such an object on the bus already.
    let object: BusObject?

    /// Requests that wait for the app.
    private static let queueLength = 64
    /// Those that were opened before the app has its service.
    private static let early = Mutex<[String: Task<RequestInbox, any Error>]>([:])

    /// - Throws: ``DBusError``.
    private init(forApp id: String) async throws {
        let (requests, writer) = AsyncStream.makeStream(
            of: ServiceRequest.self, bufferingPolicy: .bufferingOldest(Self.queueLength))
        let log = RequestLog()
        (self.requests, self.writer, self.log) = (requests, writer, log)
        if case .forBus(let launch) = AppStart.ofProcess {
            log.note(.port(launch))
            writer.yield(.port(launch))
        }
        bus = try await SessionBus.connect()
        object = try? await BusObject.export(
            ServiceRequest.interface, at: BusName.path(ofApp: id), on: bus,
            handler: { call in
                if let request = ServiceRequest(call.method, call.message.values) {
                    log.note(request)
                    writer.yield(request)
                }
                call.answer()
            })
        // When everything is there: with the name the requests come that have waited for it.
        hasName = try await bus.own(id)
    }

    /// Opens it for ``take(forApp:)`` to come.
    static func early(forApp id: String) async throws -> RequestInbox {
        let opening = early.withLock { inboxes in
            let opening = inboxes[id] ?? Task { try await RequestInbox(forApp: id) }
            inboxes[id] = opening
            return opening
        }
        return try await opening.value
    }

    /// That which was opened early, or a new one. The caller keeps it.
    static func take(forApp id: String) async throws -> RequestInbox {
        guard let opening = early.withLock({ $0.removeValue(forKey: id) }), let inbox = try? await opening.value else {
            return try await RequestInbox(forApp: id)
        }
        return inbox
    }

    /// The first request; `nil` if none comes in time.
    func firstRequest(within limit: Duration) async -> ServiceRequest? {
        let (requests, writer) = AsyncStream.makeStream(of: ServiceRequest?.self)
        let timer = Task {
            try await Task.sleep(for: limit)
            writer.yield(nil)
        }
        defer { timer.cancel() }
        log.observe { writer.yield($0) }
        defer { log.observe(nil) }
        for await request in requests { return request }
        return nil
    }
}
