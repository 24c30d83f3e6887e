// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport

/// Runs an action over the session bus: Docs/Protocols.md, "Actions".
///
/// The action answers ``ActionProtocol/run`` at once, and works then. It reports its progress and its end by signals of a request object.
struct BusRun {
    let call: ActionCall

    /// - Parameter progress: called on the caller's actor.
    /// - Throws: ``ActionFailure``; `CancellationError`.
    func results(_ progress: (Double) -> Void) async throws -> [ActionResult] {
        do {
            // An action that had nothing to do may be about to end when it is called.
            do { return try await attempt(progress) } catch is GoneBefore { return try await attempt(progress) }
        } catch is GoneBefore {
            throw call.failure(.ended, "ended before it began; try again.")
        } catch let error as DBusError {
            throw failure(of: error)
        }
    }

    /// The process ended before it had taken the call.
    private struct GoneBefore: Error {}

    private enum Event: Sendable {
        /// The action has the call, or will never have it.
        case begun(Result<Request, any Error>)
        /// There is progress to be taken.
        case progress
        case response(DBusReply)
        case vanished
        case tick
    }

    /// A request that the action has taken.
    private struct Request: Sendable {
        let bus: SessionBus
        let owner: String
        let path: String
        /// They end with their last reference.
        let listeners: (BusSignals, BusNameWatch)

        /// Nobody waits for the answer. The request ends with its response.
        func cancel() {
            Task {
                _ = try? await bus.call(
                    "Cancel", of: ActionProtocol.requestInterface, at: path, ofName: owner, startsService: false,
                    timeout: .seconds(5))
            }
        }
    }

    private func attempt(_ progress: (Double) -> Void) async throws -> [ActionResult] {
        let (events, event) = AsyncStream.makeStream(of: Event.self)
        // What has come and is not taken: an action may send any number of signals.
        let reports = ActionReports()
        // In a task of its own, so that a program which does not start is not waited for when this is cancelled.
        let beginning = Task { try await begin(reports, event) }
        let tasks = [
            Task { () -> Void in event.yield(.begun(await beginning.result)) },
            Task { () -> Void in
                while (try? await Task.sleep(for: .milliseconds(100))) != nil { event.yield(.tick) }
            },
        ]
        defer {
            for task in tasks { task.cancel() }
            event.finish()
        }
        do {
            return try await follow(events, reports, progress)
        } catch let error as GivenUp {
            // Nobody waits until the action has ended. It may take the call after all.
            Task { if case .success(let request) = await beginning.result { request.cancel() } }
            throw error.reason
        }
    }

    /// Starts the action and calls it. It has the call when this returns.
    private func begin(
        _ reports: ActionReports, _ event: AsyncStream<Event>.Continuation
    ) async throws -> Request {
        let bus = try await SessionBus.connect()
        try await bus.start(call.action.id, timeout: call.limits.silence)
        guard let owner = try await bus.owner(of: call.action.id, timeout: call.limits.silence) else {
            throw GoneBefore()
        }
        let token = "pipebus_" + String(UInt64.random(in: .min ... .max), radix: 36)
        let path = ActionProtocol.requestPath(sender: bus.uniqueName, token: token)
        let signals = BusSignals(of: ActionProtocol.requestInterface, at: path, on: bus) { signal in
            guard signal.sender == owner else { return }
            switch signal.member {
            case "Progress": if reports.note(signal.message.values) { event.yield(.progress) }
            case "Response": if reports.end() { event.yield(.response(signal.message)) }
            default: break
            }
        }
        let watch = await BusNameWatch.of(owner, on: bus) { event.yield(.vanished) }

        var options: [String: DBusValue] = [ActionProtocol.tokenOption: .string(token)]
        if let activation = call.activationToken { options[ActionProtocol.activationOption] = .string(activation) }
        let files = call.inputs.enumerated().map { place, input in
            DBusValue.tuple([.handle(Int32(place)), .string(input.name), .string(input.type.name)])
        }
        let reply: DBusReply
        do {
            reply = try await bus.call(
                "Run", of: ActionProtocol.interface, at: BusName.path(ofApp: call.action.id), ofName: owner,
                [
                    .array(of: "(hss)", files), .dictionary(call.parameters.mapValues(\.dbus)), .dictionary(options),
                ], descriptors: call.inputs.map(\.descriptor.number), startsService: false,
                timeout: call.limits.silence)
        } catch DBusError.unknownName { throw GoneBefore() } catch DBusError.disconnected { throw GoneBefore() }
        guard reply.values == [.objectPath(path)] else {
            throw call.failure(.invalidResult, "did not answer in the form of an action; ask its author to mend it.")
        }
        return Request(bus: bus, owner: owner, path: path, listeners: (signals, watch))
    }

    // MARK: The request

    /// Nobody waits for the action any more.
    private struct GivenUp: Error {
        let reason: any Error
    }

    private func follow(
        _ events: AsyncStream<Event>, _ reports: ActionReports, _ progress: (Double) -> Void
    ) async throws -> [ActionResult] {
        var lastSign = ContinuousClock.now
        var request: Request?
        var isGone = false
        for await event in events {
            switch event {
            case .begun(.success(let taken)):
                if isGone { throw gone }
                request = taken
                lastSign = .now
            case .begun(.failure(let error)): throw error
            case .response(let message):
                return try await results(in: message)
            case .progress:
                lastSign = .now
                if let fraction = reports.take() { progress(fraction) }
            case .vanished:
                // While it is called, the call says so.
                guard request != nil else {
                    isGone = true
                    continue
                }
                throw gone
            case .tick:
                guard let reason = reasonToEnd(lastSign, .now, hasBegun: request != nil) else { continue }
                throw GivenUp(reason: reason)
            }
        }
        throw CancellationError()
    }

    /// Why the action is not waited for any longer; `nil` if it is.
    private func reasonToEnd(
        _ lastSign: ContinuousClock.Instant, _ now: ContinuousClock.Instant, hasBegun: Bool
    ) -> (any Error)? {
        if let reason = call.reasonToEnd { return reason }
        // An interactive action waits for its user once it has begun.
        guard !hasBegun || !call.action.isInteractive, lastSign.duration(to: now) > call.limits.silence else {
            return nil
        }
        return hung
    }

    private var gone: ActionFailure {
        call.failure(.ended, "ended before it was done; try again, or ask its author.")
    }

    private var hung: ActionFailure {
        call.failure(
            .timedOut, "has shown no sign of work for \(call.limits.silence.words); end its program, and try again.")
    }

    // MARK: The response

    /// What the response says. It may say anything.
    private func results(in message: DBusReply) async throws -> [ActionResult] {
        let response: ActionResponse
        do { response = try ActionResponse(message) } catch { throw failure(of: error) }
        switch response {
        case .cancelled: throw CancellationError()
        case .failed(let reason):
            throw ActionFailure(
                .refused,
                reason.isEmpty ? "\(call.action.name) failed, and did not say why." : "\(call.action.name): \(reason)")
        case .completed(let files):
            // It keeps the descriptors open.
            defer { withExtendedLifetime(message) {} }
            var results: [ActionResult] = []
            for file in files {
                results.append(try await call.result(of: file.descriptor, named: file.name, note: file.note))
            }
            return results
        }
    }

    private func failure(of fault: ActionResponse.Fault) -> ActionFailure {
        let sentence =
            switch fault {
            case .otherForm: "did not answer in the form of an action"
            case .noFiles: "ended without a result"
            case .tooManyFiles: "gave more than \(ActionResponse.mostFiles) files"
            case .fileWithoutDescriptor: "gave a result without a file"
            }
        return call.failure(.invalidResult, "\(sentence); ask its author to mend it.")
    }

    private func failure(of error: DBusError) -> ActionFailure {
        switch error {
        case .noBus(let reason):
            ActionFailure(
                .noSessionBus,
                "There is no session bus (\(reason)), by which \(call.action.name) is run; log in to a desktop, or use dbus-run-session."
            )
        case .unknownName:
            call.failure(
                .notStarted, "cannot be started, because its service file is missing; install it again.")
        case .spawnFailed(let reason):
            call.failure(.notStarted, "cannot be started (\(reason.shown(atMost: 300))); install it again.")
        case .timedOut: hung
        case .disconnected: call.failure(.ended, "ended before it answered; try again, or ask its author.")
        case .unknownMethod:
            call.failure(.invalidResult, "does not know what an action is asked; ask its author to mend it.")
        case .remote(_, let message):
            ActionFailure(.refused, "\(call.action.name): \(message.shown(atMost: 500))")
        }
    }
}
