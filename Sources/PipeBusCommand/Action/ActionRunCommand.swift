// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import PipeBus
import PipeBusActions
import ToolSupport

struct ActionRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs an action on sound files, or several in a row.",
        discussion: """
            The result gets a name such as "Speech (Reversed).wav", with a number behind it if there is such a file: nothing is replaced. It is \
            put beside the first file unless --output names a folder, or a file, whose extension then says the format. Control-C cancels; then \
            there is no result. --set is for every action of a row that has such a parameter; "2.target=-14" is for the second one alone, and \
            "Normalise.target=-14" for those whose name begins so. Apps that open sound files are run too (`list --all`).
            """)

    @Argument(help: ArgumentHelp("The action, by its name or its id.", valueName: "action"))
    var action: String
    @Argument(help: ArgumentHelp("A sound file. Files that are no sound are ignored.", valueName: "file"))
    var files: [String]
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A parameter's value, such as target=-14.", valueName: "name=value"))
    var set: [String] = []
    @Option(help: ArgumentHelp("Another action, which gets the result of the one before.", valueName: "action"))
    var then: [String] = []
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Where the result goes: a folder, or a new file.", valueName: "path"))
    var output: String?
    @Flag(help: "Replace the file that --output names, if it is there.")
    var force = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time limit of each action, in seconds: 0.1 to 86400; none unless given.", valueName: "s"))
    var timeout: Double?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long an action may show no sign of work, in seconds: 0.1 to 3600.", valueName: "s"))
    var patience = 30.0

    func validate() throws {
        for name in [action] + then where !name.contains(where: { !$0.isWhitespace }) {
            throw ValidationError("The name of an action is empty; \"pipebus action list\" shows those that there are.")
        }
        try Check.that("--timeout", timeout, isIn: 0.1...86_400, unit: "seconds")
        try Check.that("--patience", patience, isIn: 0.1...3600, unit: "seconds")
        if output == "" { throw ValidationError("The name of the output is empty; leave --output out.") }
        if force, output == nil { throw ValidationError("--force is for a file that --output names; give both.") }
    }

    func run() async throws {
        let watch = SignalWatch()
        let installed = await AudioActions.installed(includingEditors: true)
        let actions = try ([action] + then).map { try TypedAction.find($0, among: installed) }
        let parameters = try TypedParameters.values(set, of: actions)
        let target = try ActionTarget(output, force: force, besides: files)
        let sounds: [ActionFile]
        do {
            sounds = try files.map { path throws(ActionFailure) in try ActionFile.file(path) }
        } catch { throw ToolFailure(error.message) }
        let steps = zip(actions, parameters).map { ActionStep($0, parameters: $1) }
        var limits = ActionLimits(silence: .seconds(patience))
        limits.whole = timeout.map { .seconds($0) }
        switch try await outcome(of: steps, on: sounds, limits, to: target, since: watch) {
        case .completed(let results):
            for result in results where !result.note.isEmpty {
                Terminal.complain("\(result.name): \(result.note)", as: "pipebus")
            }
            do {
                for path in try target.save(results) { Terminal.report("\(path) is written.", ["path": path]) }
            } catch let failure as ActionFailure { throw ToolFailure(failure.message) }
        case .cancelled:
            throw ToolFailure(
                actions.contains(where: \.isEditor)
                    ? "Nothing was saved in the app, or it hands its files to a process that runs already; there is no result."
                    : "The action was cancelled, so there is no result.")
        case .failed(let failure): throw ToolFailure(failure.message)
        }
    }

    /// - Throws: an exit code, as of a command that a signal has ended.
    private func outcome(
        of steps: [ActionStep], on files: [ActionFile], _ limits: ActionLimits, to target: ActionTarget,
        since watch: SignalWatch
    ) async throws -> ActionOutcome {
        let work = Task {
            var line = StatusLine()
            defer { line.clear() }
            let outcome = await AudioActions.run(
                steps, on: files, activationToken: ActivationToken.ofProcess, limits: limits, folder: target.folder
            ) { fraction in
                if Terminal.isInForeground { line.show("\(Int(fraction * 100)) %") }
            }
            guard case .completed(let results) = outcome else { return outcome }
            do {
                return .completed(try await target.converted(results))
            } catch is CancellationError {
                return .cancelled
            } catch let failure as ActionFailure {
                return .failed(failure)
            } catch let error as SoundError { throw ToolFailure(error.message) }
        }
        let signals = Task {
            while watch.signal == nil { try await Task.sleep(for: .milliseconds(50)) }
            work.cancel()
        }
        defer { signals.cancel() }
        let outcome = try await work.value
        if let signal = watch.signal, case .cancelled = outcome { throw ExitCode(128 + signal) }
        return outcome
    }
}
