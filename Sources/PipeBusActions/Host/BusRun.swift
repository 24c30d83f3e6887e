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
        case signal(BusSignal)
        case vanished
        case tick
        case cancelled
    }

    private func attempt(_ progress: (Double) -> Void) async throws -> [ActionResult] {
        let start = ContinuousClock.now
        let bus = try await SessionBus.connect()
        try await bus.start(call.action.id, timeout: call.limits.silence)
        guard let owner = try await bus.owner(of: call.action.id, timeout: call.limits.silence) else {
            throw GoneBefore()
        }
        let token = "pipebus_" + String(UInt64.random(in: .min ... .max), radix: 36)
        let path = ActionProtocol.requestPath(sender: bus.uniqueName, token: token)
        let signals = BusSignals(of: ActionProtocol.requestInterface, at: path, on: bus)
        let (events, event) = AsyncStream.makeStream(of: Event.self)
        let watch = await BusNameWatch.of(owner, on: bus) { event.yield(.vanished) }
        defer { withExtendedLifetime((signals, watch)) {} }
        let tasks = [
            Task { for await signal in signals.stream where signal.sender == owner { event.yield(.signal(signal)) } },
            Task {
                while (try? await Task.sleep(for: .milliseconds(100))) != nil { event.yield(.tick) }
            },
        ]
        defer { for task in tasks { task.cancel() } }
        return try await withTaskCancellationHandler {
            try await begin(at: owner, on: bus, token: token, path: path)
            return try await follow(events, from: start, progress) {
                // Nobody waits for the answer. The request ends with its response.
                _ = try? await bus.call(
                    "Cancel", of: ActionProtocol.requestInterface, at: path, ofName: owner, startsService: false,
                    timeout: .seconds(5))
            }
        } onCancel: {
            event.yield(.cancelled)
        }
    }

    /// Calls the action. It has the call when this returns.
    private func begin(at owner: String, on bus: SessionBus, token: String, path: String) async throws {
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
    }

    // MARK: The request

    /// - Parameter cancel: asks the action to end.
    private func follow(
        _ events: AsyncStream<Event>, from start: ContinuousClock.Instant, _ progress: (Double) -> Void,
        cancel: @escaping @Sendable () async -> Void
    ) async throws -> [ActionResult] {
        var lastSign = ContinuousClock.now
        var end: (any Error)?
        var endDeadline = ContinuousClock.now
        // Asks the action to end, and waits a while for that: what it had begun is gone then.
        func giveUp(_ error: any Error) {
            guard end == nil else { return }
            end = error
            endDeadline = .now + .seconds(2)
            Task { await cancel() }
        }
        for await event in events {
            switch event {
            case .signal(let signal) where signal.member == "Response":
                if let end { throw end }
                return try await results(in: signal.message)
            case .signal(let signal):
                lastSign = .now
                guard end == nil, signal.member == "Progress", case .double(let fraction)? = signal.message.values.first
                else { continue }
                if fraction.isFinite { progress(min(max(fraction, 0), 1)) }
            case .vanished:
                throw end ?? call.failure(.ended, "ended before it was done; try again, or ask its author.")
            case .cancelled: giveUp(CancellationError())
            case .tick:
                let now = ContinuousClock.now
                if let end {
                    if now > endDeadline { throw end }
                } else if let whole = call.limits.whole, start.duration(to: now) > whole {
                    giveUp(call.failure(.timedOut, "was not done within \(whole.words); give it more time."))
                } else if !call.action.isInteractive, lastSign.duration(to: now) > call.limits.silence {
                    giveUp(hung)
                }
            }
        }
        throw end ?? CancellationError()
    }

    private var hung: ActionFailure {
        call.failure(
            .timedOut, "has shown no sign of work for \(call.limits.silence.words); end its program, and try again.")
    }

    // MARK: The response

    /// What the response says. It may say anything.
    private func results(in message: DBusReply) async throws -> [ActionResult] {
        guard message.values.count == 2, case .uint32(let code) = message.values[0],
            case .dictionary(let details) = message.values[1]
        else {
            throw call.failure(.invalidResult, "did not answer in the form of an action; ask its author to mend it.")
        }
        switch code {
        case 0: break
        case 1: throw CancellationError()
        default:
            let reason = details["message"]?.text.map { $0.shown(atMost: 500) } ?? ""
            throw ActionFailure(
                .refused,
                reason.isEmpty ? "\(call.action.name) failed, and did not say why." : "\(call.action.name): \(reason)")
        }
        guard case .array(of: _, let files)? = details["files"], !files.isEmpty else {
            throw call.failure(.invalidResult, "ended without a result; ask its author to mend it.")
        }
        guard files.count <= ActionCall.mostResults else {
            throw call.failure(
                .invalidResult, "gave more than \(ActionCall.mostResults) files; ask its author to mend it.")
        }
        var results: [ActionResult] = []
        for file in files {
            guard case .tuple(let fields) = file, fields.count == 3, let descriptor = message.descriptor(fields[0]),
                let name = fields[1].text
            else {
                throw call.failure(
                    .invalidResult, "gave a result without a file; ask its author to mend it.")
            }
            results.append(try await call.result(of: descriptor, named: name))
        }
        return results
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
