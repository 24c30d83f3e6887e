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
    /// Files of a request.
    private static let mostFiles = 1000

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
        guard call.method == "Run", call.message.values.count == 3,
            case .array(of: "(hss)", let files) = call.message.values[0],
            case .dictionary(let parameters) = call.message.values[1],
            case .dictionary(let options) = call.message.values[2]
        else {
            return call.fail("InvalidArgument", "This is no request to an action in the form of Docs/Protocols.md.")
        }
        let token =
            options[ActionProtocol.tokenOption]?.text ?? "t" + String(UInt64.random(in: .min ... .max), radix: 36)
        guard ActionProtocol.isToken(token) else {
            return call.fail(
                "InvalidArgument", "The handle_token has other characters than letters, digits and underscores.")
        }
        do {
            let files = try self.files(files, in: call.message)
            let values = try values(parameters)
            let served = ServedRequest(
                from: call.sender, at: ActionProtocol.requestPath(sender: call.sender, token: token), on: bus)
            try add(served)
            let token = options[ActionProtocol.activationOption]?.text
            served.begin { [self] in
                await serve(served, call, files: files, parameters: values, activationToken: token)
                remove(served)
            }
        } catch let failure as ActionFailure {
            call.fail("InvalidArgument", failure.message)
        } catch {
            call.fail("Failed", "\(error)")
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

    private func files(_ values: [DBusValue], in message: DBusReply) throws -> [ActionFile] {
        guard values.count <= Self.mostFiles else {
            throw ActionFailure(.notAccepted, "\(values.count) files are too many; give at most \(Self.mostFiles).")
        }
        let files = try values.map { value throws(ActionFailure) in
            guard case .tuple(let fields) = value, fields.count == 3, let descriptor = message.descriptor(fields[0]),
                let name = fields[1].text, let type = fields[2].text
            else { throw ActionFailure(.unreadable, "A file of the request has no descriptor, name and type.") }
            // The type is found by what is in the file unless the caller knows it.
            let known = MIMEType(type)
            return try ActionFile.descriptor(
                descriptor, name: ResultName.cleaned(name) ?? "Sound",
                type: known.isValid && known.isSound ? known : nil)
        }
        // What is no sound is ignored, as by the host.
        let sounds = files.filter(\.isSound)
        guard !sounds.isEmpty, sounds.count == 1 || description.acceptsSeveralFiles else {
            throw ActionFailure(
                .notAccepted,
                "\(description.name) takes \(description.acceptsSeveralFiles ? "at least one sound" : "exactly one sound"), not \(sounds.count)."
            )
        }
        return sounds
    }

    /// The values of known parameters. Unknown ones are ignored: an older action has fewer.
    private func values(_ given: [String: DBusValue]) throws(ActionFailure) -> [String: ActionValue] {
        var values: [String: ActionValue] = [:]
        for parameter in description.parameters {
            guard let sent = given[parameter.name] else { continue }
            guard let value = ActionValue(sent) else {
                throw ActionFailure(
                    .invalidValue, "\"\(parameter.name)\" takes \(parameter.rangeText); give such a value.")
            }
            values[parameter.name] = try parameter.checked(value)
        }
        return values
    }

    // MARK: Work

    private func serve(
        _ served: ServedRequest, _ call: BusObject.Call, files: [ActionFile], parameters: [String: ActionValue],
        activationToken: String?
    ) async {
        let object: BusObject
        do {
            object = try await BusObject.export(ActionProtocol.requestXML, at: served.path, on: bus) { call in
                // Only the caller's request is the caller's to cancel.
                guard call.sender == served.sender else {
                    return call.fail("AccessDenied", "This request is another app's.")
                }
                served.cancel()
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
        let request = ActionRequest(
            description, files: files, parameters: parameters, activationToken: activationToken,
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
