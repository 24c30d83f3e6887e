// SPDX-License-Identifier: MIT
import DesktopSupport
public import PipeBus
import Synchronization

/// This app on the session bus: others can ask that it be there for one of its ports, or show itself.
///
/// ```swift
/// let service = try await AppService.start(for: bus) { launch in print("wanted:", launch.port ?? "the app") }
/// ```
///
/// The app has the bus name of its id, as the desktop entry specification says. It stays so until ``stop()``, or for as long as the process;
/// releasing the object does not end it.
///
/// - Thread: any.
/// - Realtime: unsafe.
public final class AppService: Sendable {
    /// Whether this process has the app's name. Otherwise another process of the app has it, and gets the requests.
    public let hasName: Bool

    let client: BusClient
    let log: RequestLog
    private var id: String { client.appID }
    private let bus: SessionBus
    private let requests: AsyncStream<ServiceRequest>.Continuation
    /// The objects on the bus; `nil` once the service is stopped.
    private let objects: Mutex<[BusObject]?>

    private init(_ client: BusClient, _ inbox: RequestInbox) {
        self.client = client
        bus = inbox.bus
        hasName = inbox.hasName
        log = inbox.log
        requests = inbox.writer
        objects = Mutex(inbox.object.map { [$0] } ?? [])
    }

    /// Puts the app on the session bus, and begins to pass requests on.
    ///
    /// Call it once, when the ports are there: the bus may have started the app for a request that is waiting. An app that uses GIO's `GApplication`
    /// has the name from that, and handles requests for its window there; it gets a request for a port by an action "pipebus-port" of its own.
    ///
    /// - Parameters:
    ///   - client: its id is the app's.
    ///   - willLaunchPort: called for each request for a port, or for the app as a whole, one after the other. The first is that by which the process
    ///     was started (``AppStart/forBus(_:)``), if it was.
    ///   - show: called when a user wants to see the app: it shows its window, with the activation token.
    /// - Throws: ``PipeBusError`` `noSessionBus`. Everything else of PipeBus works without.
    public static func start(
        for client: BusClient, willLaunchPort: @escaping @Sendable (AppLaunch) async -> Void = { _ in },
        show: @escaping @Sendable (AppLaunch) async -> Void = { _ in }
    ) async throws -> AppService {
        let inbox: RequestInbox
        do {
            inbox = try await RequestInbox.take(forApp: client.appID)
        } catch let error as DBusError {
            throw PipeBusError(
                .noSessionBus,
                "There is no session bus (\(error.reason)), so nobody can show this app or ask it for a port; everything else works without."
            )
        }
        let service = AppService(client, inbox)
        // The task keeps the service until it is stopped.
        Task {
            for await request in inbox.requests {
                switch request {
                case .port(let launch): await willLaunchPort(launch)
                case .show(let launch): await show(launch)
                }
            }
            withExtendedLifetime(service) {}
        }
        return service
    }

    /// Adds an interface to the app's object.
    ///
    /// - Throws: ``DBusError``; ``PipeBusError`` `closed`.
    func export(
        _ interface: String, properties: [String: DBusValue], handler: @escaping BusObject.Handler
    ) async throws {
        let object = try await BusObject.export(
            interface, at: BusName.path(ofApp: id), on: bus, properties: properties, handler: handler)
        guard objects.withLock({ $0?.append(object) }) != nil else {
            throw PipeBusError(.closed, "The service was stopped before; start another one.")
        }
    }

    /// Takes the app from the session bus. Idempotent.
    public func stop() async {
        guard objects.withLock({ $0.take() }) != nil else { return }
        requests.finish()
        if hasName { try? await bus.release(id) }
    }
}

extension PipeBusError.Code {
    /// There is no session bus (D-Bus).
    public static let noSessionBus = PipeBusError.Code(rawValue: "noSessionBus")
}
