// SPDX-License-Identifier: MIT
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
    /// The objects on the bus.
    private let objects: Mutex<[BusObject]>

    /// Requests that wait for the app.
    private static let queueLength = 64

    private init(
        _ client: BusClient, on bus: SessionBus, hasName: Bool, objects: [BusObject],
        requests: AsyncStream<ServiceRequest>.Continuation, log: RequestLog
    ) {
        self.client = client
        self.bus = bus
        self.hasName = hasName
        self.objects = Mutex(objects)
        self.requests = requests
        self.log = log
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
        let (requests, continuation) = AsyncStream.makeStream(
            of: ServiceRequest.self, bufferingPolicy: .bufferingOldest(queueLength))
        let log = RequestLog()
        if case .forBus(let launch) = AppStart.ofProcess {
            log.note(.port(launch))
            continuation.yield(.port(launch))
        }
        let service: AppService
        do {
            service = try await begin(client, continuation, log)
        } catch let error as DBusError {
            throw PipeBusError(
                .noSessionBus,
                "There is no session bus (\(error.reason)), so nobody can start or show this app; everything else works without."
            )
        }
        // The task keeps the service until it is stopped.
        Task {
            for await request in requests {
                switch request {
                case .port(let launch): await willLaunchPort(launch)
                case .show(let launch): await show(launch)
                }
            }
            withExtendedLifetime(service) {}
        }
        return service
    }

    private static func begin(
        _ client: BusClient, _ requests: AsyncStream<ServiceRequest>.Continuation, _ log: RequestLog
    ) async throws -> AppService {
        let id = client.appID
        let bus = try await SessionBus.connect()
        var objects: [BusObject] = []
        // An app with a GApplication has such an object already.
        if let application = try? await BusObject.export(
            ServiceRequest.interface, at: BusName.path(ofApp: id), on: bus,
            handler: { call in
                if let request = ServiceRequest(call.method, call.message.values) {
                    log.note(request)
                    requests.yield(request)
                }
                call.answer()
            })
        {
            objects.append(application)
        }
        // When everything is there: with the name the requests come that have waited for it.
        let hasName = try await bus.own(id)
        return AppService(client, on: bus, hasName: hasName, objects: objects, requests: requests, log: log)
    }

    /// Adds an interface to the app's object.
    ///
    /// - Throws: ``DBusError``; ``PipeBusError`` `closed`.
    func export(
        _ interface: String, properties: [String: DBusValue], handler: @escaping BusObject.Handler
    ) async throws {
        let object = try await BusObject.export(
            interface, at: BusName.path(ofApp: id), on: bus, properties: properties, handler: handler)
        let isOpen = objects.withLock { objects in
            if !objects.isEmpty { objects.append(object) }
            return !objects.isEmpty
        }
        guard isOpen else { throw PipeBusError(.closed, "The service was stopped before; start another one.") }
    }

    /// Takes the app from the session bus. Idempotent.
    public func stop() async {
        let present = objects.withLock { objects in
            defer { objects = [] }
            return objects
        }
        requests.finish()
        guard !present.isEmpty else { return }
        if hasName { try? await bus.release(id) }
    }
}

extension PipeBusError.Code {
    /// There is no session bus (D-Bus).
    public static let noSessionBus = PipeBusError.Code(rawValue: "noSessionBus")
}
