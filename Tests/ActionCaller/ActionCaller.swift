// SPDX-License-Identifier: MIT
import Glibc
import PipeBusActions

/// A host for tests: runs actions as an app would, on the main actor, and prints what happens.
///
///     action-caller available FILE-OR-TYPE ...
///     action-caller run ID[,ID …] MODE FOLDER SECONDS FILE ...       cancels itself at a progress of 0.2 with the mode "cancel"
@main
struct ActionCaller {
    @MainActor
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            switch words.first {
            case "available":
                let files = try words.dropFirst().map { try file($0) }
                for action in await AudioActions.available(for: files) { say(action.id) }
            case "run": try await run(Array(words.dropFirst()))
            default: exit(64)
            }
        } catch { say("error \(error)") }
    }

    /// Prints a line at once, also into a pipe.
    private static func say(_ line: String) {
        let line = line + "\n"
        _ = unsafe write(STDOUT_FILENO, line, line.utf8.count)
    }

    private static func file(_ text: String) throws -> ActionFile {
        text.hasPrefix("type:") ? .placeholder(MIMEType(String(text.dropFirst(5)))) : try ActionFile.file(text)
    }

    @MainActor
    private static func run(_ words: [String]) async throws {
        let installed = await AudioActions.installed()
        let steps = words[0].split(separator: ",").compactMap { id in installed.first { $0.id == id } }.map { action in
            ActionStep(
                action,
                parameters: action.parameters.contains { $0.name == "mode" }
                    ? ["mode": .text(words[1] == "cancel" ? "slow" : words[1])] : [:])
        }
        let limit = Duration.milliseconds(Int(1000 * (Double(words[3]) ?? 30)))
        let files = try words.dropFirst(4).map { try file($0) }
        let work = Task { @MainActor in
            await AudioActions.run(
                steps, on: files, activationToken: "Token", limits: ActionLimits(silence: limit), folder: words[2]
            ) { fraction in
                MainActor.assertIsolated()
                say("progress \(fraction)")
                if words[1] == "cancel", fraction >= 0.2 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            }
        }
        let outcome = await work.value
        MainActor.assertIsolated()
        switch outcome {
        case .completed(let results):
            for result in results { say("result \(try result.save(in: words[2])) \(result.type) \(result.byteCount)") }
            say("completed")
        case .cancelled: say("cancelled")
        case .failed(let failure): say("failed \(failure.code.rawValue) \(failure)")
        }
    }
}
