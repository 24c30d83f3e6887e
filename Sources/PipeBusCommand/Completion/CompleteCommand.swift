// SPDX-License-Identifier: MIT
import ArgumentParser
import Foundation
import PipeBus
import ToolSupport

/// Answers a shell's script: the candidates for the end of a command line, one on each line. It says nothing else, whatever goes wrong,
/// and takes a second at most: a person waits for it at a prompt.
struct CompleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Completes a command line, for the shells' scripts.", shouldDisplay: false)

    @Argument var shell: Shell
    @Argument(help: "The line up to the cursor.") var line: String
    @Option(parsing: .unconditional, help: "The characters at which bash begins a word.") var breaks = ""

    func run() async throws {
        Self.endInTime()
        let line = TypedCommandLine(line, breakCharacters: breaks)
        let request = CompletionRequest(line, commands: PipeBusCommand.commands)
        for candidate in await candidates(for: request) {
            if let text = shell.text(of: candidate, in: line) { print(text) }
        }
    }

    private func candidates(for request: CompletionRequest) async -> [String] {
        let shown = PipeBusCommand.commands.filter { $0.configuration.shouldDisplay }
        switch request.slot {
        case nil: return []
        case .command: return beginning(shown.map { $0._commandName } + ["help"], request)
        case .option:
            return beginning(CommandOptions(of: request.command ?? PipeBusCommand.self).names + ["--help"], request)
        case .file: return FileCompletion.names(for: request.current)
        case .words(let words): return beginning(words, request)
        default:
            guard
                let bus = try? await BusClient.connect(
                    as: "org.pipebus.patchbay", name: "PipeBus patchbay", remote: request.remote,
                    timeout: .milliseconds(800))
            else { return [] }
            return PortCompletion(await bus.graph).names(for: request)
        }
    }

    private func beginning(_ words: [String], _ request: CompletionRequest) -> [String] {
        var seen: Set<String> = []
        return words.filter { $0.hasPrefix(request.current) && seen.insert($0).inserted }
    }

    private static func endInTime() {
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.95)
            // What is not there by now is not offered.
            _exit(EXIT_SUCCESS)
        }
    }
}
