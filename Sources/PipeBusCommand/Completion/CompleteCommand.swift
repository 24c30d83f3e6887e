// SPDX-License-Identifier: MIT
import ArgumentParser
import Foundation
import PipeBus
import PipeBusActions
import PipeBusApps
import ToolSupport

/// Answers a shell's script: the candidates for the end of a command line, one on each line. It says nothing else, whatever goes wrong,
/// and takes a second at most: a person waits for it at a prompt.
struct CompleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Completes a command line, for the shells' scripts.", shouldDisplay: false)

    @Argument var shell: Shell
    @Argument(help: "The line up to the cursor.") var line: String
    @Option(parsing: .unconditional, help: "The characters at which bash begins a word.") var breaks = ""

    /// How long apps may take to list their triggers, and the time from the start on after which no app is waited for.
    private static let (longestWait, latestEnd) = (Duration.milliseconds(250), Duration.milliseconds(850))

    func run() async throws {
        let start = ContinuousClock.now
        Self.endInTime()
        let line = TypedCommandLine(line, breakCharacters: breaks)
        let request = CompletionRequest(line, commands: PipeBusCommand.commands)
        for candidate in await candidates(for: request, since: start) {
            if let text = shell.text(of: candidate, in: line) { print(text) }
        }
    }

    private func candidates(for request: CompletionRequest, since start: ContinuousClock.Instant) async -> [String] {
        let shown = PipeBusCommand.commands.filter { $0.configuration.shouldDisplay }
        switch request.slot {
        case nil: return []
        case .command:
            let names = beginning(shown.map { $0._commandName } + ["help"], request)
            return names.isEmpty ? beginning(shown.flatMap { $0.configuration.aliases }, request) : names
        case .option:
            return beginning(CommandOptions(of: request.command ?? PipeBusCommand.self).names + ["--help"], request)
        case .file: return FileCompletion.names(for: request.current)
        case .words(let words): return beginning(words, request)
        case .action:
            let actions = await AudioActions.installed(includingEditors: false)
            return OfferedNames.beginning(request.current, in: [actions.map(\.name), actions.map(\.id)])
        case .installedApp, .installedFilter:
            return AppCompletion(GraphSnapshot(revision: 0), installed: AppDirectory.apps).names(for: request)
        case .shownApp:
            let graph = await graph(for: request) ?? GraphSnapshot(revision: 0)
            return AppCompletion(graph, installed: AppDirectory.apps).names(for: request)
        case .app, .triggerApp:
            guard let graph = await graph(for: request) else { return [] }
            return AppCompletion(graph).names(for: request)
        case .trigger, .triggerOfApp:
            guard let bus = await connect(request) else { return [] }
            let graph = await bus.graph
            let completion = TriggerCompletion(request, in: graph)
            let limit = min(Self.longestWait, Self.latestEnd - start.duration(to: .now))
            return completion.names(
                in: await TriggerListing.read(from: bus, of: completion.apps, in: graph, within: limit))
        default:
            guard let graph = await graph(for: request) else { return [] }
            return PortCompletion(graph).names(for: request)
        }
    }

    private func graph(for request: CompletionRequest) async -> GraphSnapshot? {
        guard let bus = await connect(request) else { return nil }
        return await bus.graph
    }

    private func connect(_ request: CompletionRequest) async -> BusClient? {
        try? await BusClient.connect(
            as: "org.pipebus.patchbay", name: "PipeBus patchbay", remote: request.remote, timeout: .milliseconds(800))
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
