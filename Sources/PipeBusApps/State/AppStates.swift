// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc
import PipeBus

/// The states of running apps, asked for and given back over the session bus: what ``AppService/keepState(save:load:)`` of those apps does.
///
/// - Thread: any.
/// - Realtime: unsafe.
public enum AppStates {
    /// Asks an app for its state.
    ///
    /// - Parameter app: its id.
    /// - Returns: `nil` for an app that keeps no state.
    /// - Throws: ``PipeBusError`` `noSessionBus`; `timedOut` after ``AppState/timeLimit``; `refused` with the app's reason; `notSupported` for
    ///   an answer that is no state.
    public static func save(of app: String) async throws -> AppState? {
        try Names.check(appID: app)
        let reply: DBusReply
        do {
            reply = try await call("SaveState", of: app)
        } catch let error as DBusError {
            // An app that is not on the bus, or knows nothing of states, has none.
            if error == .unknownName || error == .unknownMethod { return nil }
            throw failure(error, of: app)
        }
        guard reply.values.count == 3, case .string(let type) = reply.values[0],
            case .uint32(let version) = reply.values[1], let descriptor = reply.descriptor(reply.values[2]),
            let bytes = SealedMemory.read(descriptor, atMost: AppState.largestSize)
        else {
            throw PipeBusError(
                .notSupported,
                "\(app) gave no state in the form of Docs/Protocols.md: sealed memory of at most \(AppState.largestSize) bytes."
            )
        }
        let state = AppState(type: type, version: version, bytes: bytes)
        try state.check()
        return state
    }

    /// Gives an app its state back.
    ///
    /// - Parameters:
    ///   - app: its id. It must run: nothing is started.
    ///   - routing: the name of what is loaded, for the app to show.
    /// - Returns: the app's message for the user, such as "2 samples are missing"; `nil` without one.
    /// - Throws: ``PipeBusError`` `noSessionBus`; `unknownApp` for an app that is not on the bus, or keeps no state; `timedOut` after
    ///   ``AppState/timeLimit``; `refused` with the app's reason; `invalidArgument`.
    public static func load(_ state: AppState, into app: String, routing: String? = nil) async throws -> String? {
        try await load(state, into: app, routing: routing) { try await SessionBus.connect(within: AppState.timeLimit) }
    }

    /// Gives a state to an app on a bus that is not the user's own, once the app is there: its ports are there a moment before.
    ///
    /// - Parameters:
    ///   - address: of the bus.
    ///   - patience: the longest wait for the app.
    /// - Returns: as ``load(_:into:routing:)``.
    /// - Throws: as ``load(_:into:routing:)``; `CancellationError`.
    package static func load(
        _ state: AppState, into app: String, onBusAt address: String, waitingFor patience: Duration
    ) async throws -> String? {
        let deadline = ContinuousClock.now + patience
        let bus: SessionBus
        do {
            bus = try await SessionBus.connect(toAddress: address, within: AppState.timeLimit)
        } catch let error as DBusError { throw failure(error, of: app) }
        while true {
            do {
                return try await load(state, into: app, routing: nil) { bus }
            } catch let error as PipeBusError where error.code == .unknownApp && .now < deadline {
                // Neither its name nor its object is announced in a way that has both.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private static func load(
        _ state: AppState, into app: String, routing: String?, over connect: () async throws -> SessionBus
    ) async throws -> String? {
        try Names.check(appID: app)
        try state.check()
        guard let descriptor = SealedMemory.make(state.bytes) else {
            throw PipeBusError(
                .pipeWire, "There is no memory for the state of \(app); close other programs and try again.")
        }
        defer { close(descriptor) }
        let options: [String: DBusValue] = routing.map { [AppStateKeeper.routingOption: .string($0)] } ?? [:]
        do {
            let reply = try await call(
                "LoadState", of: app,
                [.string(state.type), .uint32(state.version), .handle(0), .dictionary(options)],
                descriptors: [descriptor], over: connect)
            guard reply.values.count == 1, case .string(let message) = reply.values[0] else {
                throw PipeBusError(
                    .notSupported, "\(app) did not answer in the form of Docs/Protocols.md: with a message.")
            }
            return message.isEmpty ? nil : AppStateKeeper.message(message)
        } catch let error as DBusError {
            if error == .unknownName || error == .unknownMethod {
                throw PipeBusError(
                    .unknownApp,
                    "\(app) is not on the session bus, or keeps no state; start it, and load the routing again.")
            }
            throw failure(error, of: app)
        }
    }

    /// The process that has an app's name, by a name that no other process of the session ever has; `nil` without one.
    ///
    /// - Throws: ``PipeBusError`` `noSessionBus`, `timedOut`, `invalidArgument`.
    package static func process(of app: String) async throws -> String? {
        try Names.check(appID: app)
        do {
            return try await SessionBus.connect(within: AppState.timeLimit).owner(of: app, timeout: AppState.timeLimit)
        } catch let error as DBusError { throw failure(error, of: app) }
    }

    /// The time limit holds for the bus and the app together.
    private static func call(
        _ method: String, of app: String, _ values: [DBusValue] = [], descriptors: [Int32] = [],
        over connect: () async throws -> SessionBus = { try await SessionBus.connect(within: AppState.timeLimit) }
    ) async throws -> DBusReply {
        let deadline = ContinuousClock.now + AppState.timeLimit
        let bus = try await connect()
        return try await bus.call(
            method, of: BusName.app, at: BusName.path(ofApp: app), ofName: app, values, descriptors: descriptors,
            startsService: false, timeout: ContinuousClock.now.duration(to: deadline))
    }

    private static func failure(_ error: DBusError, of app: String) -> PipeBusError {
        switch error {
        case .noBus(let reason):
            PipeBusError(
                .noSessionBus,
                "There is no session bus (\(reason)), so apps can neither be asked for their state nor given it.")
        case .timedOut:
            PipeBusError(
                .timedOut, "\(app) did not answer within \(LaunchFailure.words(AppState.timeLimit)); it may hang.")
        case .remote(_, let message):
            PipeBusError(.refused, "\(app) refused: \(AppStateKeeper.message(message))")
        default: PipeBusError(.notSupported, "\(app) gave no answer: \(error.reason).")
        }
    }
}
