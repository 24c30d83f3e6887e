// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport
import Synchronization

/// An action on the session bus: it serves the requests of other apps. An ``AudioAction`` with `@main` does that by itself; an app with a main
/// function of its own, such as one with windows, starts it there.
///
/// ```swift
/// let service = try await AudioActionService.start(Louder())
/// ```
///
/// It goes on until ``stop()``, or for as long as the process; releasing the object does not end it.
///
/// - Thread: any.
/// - Realtime: unsafe.
public final class AudioActionService: Sendable {
    /// Requests at once.
    private static let mostRequests = 64

    private struct State {
        var requests: [String: ServedRequest] = [:]
        var object: BusObject?
        /// Told when there is no request any more, and when there is one again.
        var idleChanges: AsyncStream<Bool>.Continuation?
    }

    private let description: ActionDescription
    private let process: @Sendable (ActionRequest) async throws -> Void
    private let bus: SessionBus
    private let state = Mutex(State())

    private init(
        _ description: ActionDescription, _ bus: SessionBus,
        _ process: @escaping @Sendable (ActionRequest) async throws -> Void
    ) {
        (self.description, self.bus, self.process) = (description, bus, process)
    }

    /// Puts the action on the session bus, under its id.
    ///
    /// - Throws: ``ActionFailure`` `noSessionBus`; `refused` if another process has the id; `invalidDescription`.
    public static func start<Action: AudioAction>(_ action: Action) async throws -> AudioActionService {
        try Action.description.check()
        let id = Action.description.id
        do {
            let bus = try await SessionBus.connect()
            let service = AudioActionService(Action.description, bus) { try await action.process($0) }
            let object = try await BusObject.export(
                ActionProtocol.actionXML, at: BusName.path(ofApp: id), on: bus
            ) { call in service.take(call) }
            service.state.withLock { $0.object = object }
            // When everything is there: with the name the requests come that have waited for it.
            guard try await bus.own(id) else {
                await service.stop()
                throw ActionFailure(.refused, "Another process has the name \(id) on the session bus; end that first.")
            }
            return service
        } catch let error as DBusError {
            throw ActionFailure(
                .noSessionBus,
                "There is no session bus (\(error.reason)), so no app can use \(Action.description.name); everything else works without."
            )
        }
    }

    /// Takes the action from the session bus, and cancels its requests. Idempotent.
    public func stop() async {
        let (object, requests) = state.withLock { state in
            defer { state.object = nil }
            return (state.object, Array(state.requests.values))
        }
        guard object != nil else { return }
        try? await bus.release(description.id)
        for request in requests { request.cancel() }
    }

    /// Waits until there was no request for a while, or until the bus has ended.
    func waitUntilIdle(for time: Duration) async {
        let (changes, change) = AsyncStream.makeStream(of: Bool.self)
        let isIdle = state.withLock { state in
            state.idleChanges = change
            return state.requests.isEmpty
        }
        change.yield(isIdle)
        bus.whenClosed { change.finish() }
        var timer: Task<Void, Never>?
        for await isIdle in changes {
            timer?.cancel()
            guard isIdle else { continue }
            timer = Task {
                guard (try? await Task.sleep(for: time)) != nil else { return }
                change.finish()
            }
        }
        timer?.cancel()
    }

    // MARK: Requests

    /// On the thread of the bus.
    private func take(_ call: BusObject.Call) {
        guard call.method == "Run" else {
            return call.fail("InvalidArgument", "An action has no other method than Run.")
        }
        do {
            let run = try RunCall(call.message, to: description)
            let files = try sounds(of: run)
            let token = run.token ?? "t" + String(UInt64.random(in: .min ... .max), radix: 36)
            let served = ServedRequest(
                from: call.sender, at: ActionProtocol.requestPath(sender: call.sender, token: token), on: bus)
            try add(served)
            served.begin { [self] in
                await serve(served, call, files: files, run)
                remove(served)
            }
        } catch {
            call.fail("InvalidArgument", error.message)
        }
    }

    private func add(_ request: ServedRequest) throws(ActionFailure) {
        let refusal = state.withLock { state -> ActionFailure? in
            guard state.requests.count < Self.mostRequests else {
                return ActionFailure(.refused, "\(description.name) has too much to do; try again later.")
            }
            guard state.requests[request.path] == nil else {
                return ActionFailure(.refused, "There is a request with this handle_token; use another one.")
            }
            state.requests[request.path] = request
            state.idleChanges?.yield(false)
            return nil
        }
        if let refusal { throw refusal }
    }

    private func remove(_ request: ServedRequest) {
        state.withLock { state in
            state.requests[request.path] = nil
            if state.requests.isEmpty { state.idleChanges?.yield(true) }
        }
    }

    /// Does not count a request any more for which nobody waits, and which does not end: the process may end without it.
    private func forget(_ request: ServedRequest) {
        Task {
            try? await Task.sleep(for: .seconds(20))
            remove(request)
        }
    }

    /// The files that are sounds. The others are ignored, as by the host.
    private func sounds(of run: RunCall) throws(ActionFailure) -> [ActionFile] {
        let files = try run.files.map { file throws(ActionFailure) in
            try ActionFile.descriptor(file.descriptor, name: file.name, type: file.type)
        }
        let sounds = files.filter(\.isSound)
        guard !sounds.isEmpty, sounds.count == 1 || description.acceptsSeveralFiles else {
            throw ActionFailure(
                .notAccepted,
                "\(description.name) takes \(description.acceptsSeveralFiles ? "at least one sound" : "exactly one sound"), not \(sounds.count)."
            )
        }
        return sounds
    }

    // MARK: Work

    private func serve(
        _ served: ServedRequest, _ call: BusObject.Call, files: [ActionFile], _ run: RunCall
    ) async {
        let object: BusObject
        do {
            object = try await BusObject.export(ActionProtocol.requestXML, at: served.path, on: bus) { call in
                // Only the caller's request is the caller's to cancel.
                guard call.sender == served.sender else {
                    return call.fail("AccessDenied", "This request is another app's.")
                }
                served.cancel()
                self.forget(served)
                call.answer()
            }
        } catch {
            return call.fail("Failed", "The object of the request could not be made.")
        }
        // An app that is gone wants no result.
        let watch = await BusNameWatch.of(served.sender, on: bus) { [weak self] in
            served.cancel()
            self?.forget(served)
        }
        call.answer([.objectPath(served.path)])
        // The caller is to know that it was begun, whatever becomes of this process.
        bus.flush()
        let request = ActionRequest(
            description, files: files, parameters: run.parameters, activationToken: run.activationToken,
            folder: ScratchFile.temporaryFolder, progress: { served.send(progress: $0) })
        served.send(await end(of: request))
        withExtendedLifetime((object, watch)) {}
    }

    private func end(of request: ActionRequest) async -> ServedRequest.End {
        do {
            let results = try await ActionThread.run { [process] in
                try await process(request)
                try Task.checkCancellation()
                return try request.finish()
            }
            return .completed(results)
        } catch is CancellationError {
            return .cancelled
        } catch {
            return .failed(ActionError.sentence(error))
        }
    }
}
