// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport

/// The actions that other apps offer for sound files, for an app that has some: it asks which there are, and runs one.
///
/// ```swift
/// let file = try ActionFile.file("Speech.wav")
/// for action in await AudioActions.available(for: [file]) { print(action.name) }
///
/// switch await AudioActions.run(action, on: [file]) {
/// case .completed(let results): for result in results { print(try result.save(in: "Music")) }
/// case .cancelled: break
/// case .failed(let failure): print(failure)
/// }
/// ```
///
/// - Thread: any but the audio thread. All calls return, and call their closures, on the caller's actor.
/// - Realtime: unsafe.
public enum AudioActions {
    /// The installed actions that take these files, sorted by name. Files that are no sound are left out of account.
    ///
    /// - Parameters:
    ///   - files: types suffice (``ActionFile/placeholder(_:name:)``).
    ///   - includesEditors: whether apps count that open sound files and do not know that they are actions
    ///     (``InstalledAction/isEditor``).
    @concurrent
    public static func available(
        for files: [ActionFile], includingEditors includesEditors: Bool = false
    ) async -> [InstalledAction] {
        InstalledAction.all(includingEditors: includesEditors).filter { $0.accepts(files) }
    }

    /// All installed actions, sorted by name.
    @concurrent
    public static func installed(includingEditors includesEditors: Bool = false) async -> [InstalledAction] {
        InstalledAction.all(includingEditors: includesEditors)
    }

    /// What is wrong in desktop entries that mean to be actions and are none: a sentence for each. Empty if there is nothing to say.
    @concurrent
    public static func entryWarnings() async -> [String] { InstalledAction.warnings }

    /// Runs an action on files. Cancelling the task cancels the action.
    ///
    /// - Parameters:
    ///   - files: those that are no sound are ignored. None is ever changed.
    ///   - parameters: values by the names of parameters. The others have their defaults.
    ///   - activationToken: what the window system gave the app for the user's click or key, for an interactive action's window.
    ///   - limits: how long it may take.
    ///   - folder: where the results are made, and can then be saved without a copy; a folder for temporary files by default.
    ///   - progress: called with fractions, 0…1, as the action reports them.
    public static func run(
        _ action: InstalledAction, on files: [ActionFile], parameters: [String: ActionValue] = [:],
        activationToken: String? = nil, limits: ActionLimits = ActionLimits(), folder: String? = nil,
        progress: (Double) -> Void = { _ in }
    ) async -> ActionOutcome {
        await run(
            [ActionStep(action, parameters: parameters)], on: files, activationToken: activationToken, limits: limits,
            folder: folder, progress: progress)
    }

    /// Runs actions in a row as one: each gets the results of the one before.
    ///
    /// - Parameters: as of ``run(_:on:parameters:activationToken:limits:folder:progress:)``. The limits are each step's.
    public static func run(
        _ steps: [ActionStep], on files: [ActionFile], activationToken: String? = nil,
        limits: ActionLimits = ActionLimits(), folder: String? = nil, progress: (Double) -> Void = { _ in }
    ) async -> ActionOutcome {
        do {
            guard !steps.isEmpty else { throw ActionFailure(.notAccepted, "The chain has no action; name one.") }
            // Found out before the work.
            if let folder { try await check(folder) }
            let parameters = try steps.map { step throws(ActionFailure) in try step.checkedParameters() }
            var files = files
            var results: [ActionResult] = []
            var reported: Double?
            // The end of a step is the beginning of the next one.
            func report(_ fraction: Double) {
                guard fraction != reported else { return }
                reported = fraction
                progress(fraction)
            }
            for (place, step) in steps.enumerated() {
                let share = 1 / Double(steps.count)
                let call = try call(
                    step.action, on: files, parameters[place], place == 0 ? activationToken : nil, limits,
                    place == steps.count - 1 ? folder : nil)
                results = try await self.results(of: call, isOwn: place > 0) { report((Double(place) + $0) * share) }
                report(Double(place + 1) * share)
                files = try results.map { result throws(ActionFailure) in try result.asFile }
            }
            return .completed(results)
        } catch let failure as ActionFailure {
            return .failed(failure)
        } catch is CancellationError {
            return .cancelled
        } catch {
            return .failed(ActionFailure(writing: error))
        }
    }

    /// - Throws: ``DesktopError`` if no result can be in the folder.
    @concurrent
    private static func check(_ folder: String) async throws { _ = try ScratchFile.make(in: folder) }

    private static func call(
        _ action: InstalledAction, on files: [ActionFile], _ parameters: [String: ActionValue], _ token: String?,
        _ limits: ActionLimits, _ folder: String?
    ) throws(ActionFailure) -> ActionCall {
        let sounds = files.filter(\.isSound)
        guard action.accepts(files) else {
            if sounds.isEmpty {
                throw ActionFailure(
                    .notAccepted, "There is no sound among the files for \(action.name); name a sound file.")
            }
            if sounds.count > 1, !action.acceptsSeveralFiles {
                throw ActionFailure(
                    .notAccepted, "\(action.name) takes one file at a time, not \(sounds.count); name one.")
            }
            if sounds.count > action.largestFileCount {
                throw ActionFailure(
                    .notAccepted,
                    "\(action.name) takes at most \(action.largestFileCount) files at once, not \(sounds.count); name fewer."
                )
            }
            let other = sounds.first { file in !action.acceptedTypes.contains { file.type.conforms(to: $0) } }
            throw ActionFailure(
                .notAccepted,
                "\(action.name) does not take \"\(other?.name ?? "")\" (\(other?.type.name ?? "")); it takes \(action.acceptedTypes.prefix(8).map(\.name).joined(separator: ", "))."
            )
        }
        let inputs = try sounds.map { file throws(ActionFailure) in
            ActionCall.Input(name: file.name, type: file.type, descriptor: try file.opened())
        }
        return ActionCall(
            action: action, inputs: inputs, parameters: parameters, activationToken: token, limits: limits,
            deadline: limits.whole.map { .now + $0 }, folder: folder ?? ScratchFile.temporaryFolder)
    }

    /// - Parameter isOwn: whether the inputs are the results of the step before, which nobody else has.
    private static func results(
        of call: ActionCall, isOwn: Bool, _ progress: (Double) -> Void
    ) async throws -> [ActionResult] {
        try Task.checkCancellation()
        switch call.action.transport {
        case .bus: return try await BusRun(call: isOwn ? call : call.copied()).results(progress)
        case .program(let output): return try await ProgramRun(call: call, output: output).results()
        }
    }
}
