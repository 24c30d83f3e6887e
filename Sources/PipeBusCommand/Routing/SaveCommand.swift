// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import PipeBusApps
import ToolSupport

struct SaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save", abstract: "Saves the connections of sound, with levels and bypasses, as a file.",
        discussion: """
            `load` and `run` make them again. The file is JSON that can be edited; Docs/Patchbay.md describes it. Connections of MIDI and \
            pictures are left out, and those that receivers make by themselves to play their mix. With --state each app that is connected is \
            asked for its state over the session bus, at most 20 MB within 2 s; what an app does not give is said, and the rest is saved. \
            A saved routing is not replaced by one of nothing.
            """)

    @Argument(help: "The file, which is replaced; - for the standard output.")
    var file: String
    @Flag(help: "With the state of the apps, of those that keep one.")
    var state = false
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        try RoutingFile.checkName(file)
        let target = file == "-" ? nil : try ReplacedFile(path: file, example: "routing.json")
        let isReplaced = target != nil ? try RoutingFile.checkReplaceable(file) : false
        let old = isReplaced ? try? RoutingFile.read(file) : nil
        let (routing, states) = try await Patchbay.with(remote) { [state, file] bus in
            let graph = await bus.graph
            let apps = state ? RoutingStates.apps(in: graph) : []
            async let answers = RoutingStates.save(of: apps)
            for app in apps.filter({ RoutingStates.hasSeveral(of: $0, in: graph) }) {
                Terminal.complain(
                    "Several processes of \(app) are connected; only the one that has its name on the session bus is asked for its state.",
                    as: "pipebus")
            }
            let results = await ListCommand.levels(in: graph, bus)
            var levels: [GraphPort.ID: [GraphPort.ID: RoutingLevel]] = [:]
            for (receiver, result) in results {
                switch result {
                case .success(let present): levels[receiver] = present.mapValues { RoutingLevel($0) }
                case .failure(let error):
                    let name = graph.port(receiver).map { graph.uniqueName(of: $0) } ?? "a receiver"
                    Terminal.complain("The levels at \(name) are not saved: \(error.message)", as: "pipebus")
                }
            }
            var (states, problems) = await answers
            for problem in problems {
                // The ones that are new come first.
                let kept = old?.states.first { old in
                    old.app == problem.app && RoutingStates.fitting(states + [old]).others.isEmpty
                }
                Terminal.complain(
                    problem.text + (kept == nil ? "" : " The one that \(file.quoted) has is kept."), as: "pipebus")
                states += kept.map { [$0] } ?? []
            }
            do throws(RoutingError) { return (try graph.routing(levels: levels), states) } catch {
                throw ToolFailure("The graph cannot be saved as a routing: \(error)")
            }
        }
        let leftOut = Self.leftOut(of: routing)
        let preset = try Self.preset(routing.preset, with: states)
        guard let target else {
            print(preset.json, terminator: "")
            if let leftOut { Terminal.complain(leftOut, as: "pipebus") }
            return
        }
        guard !preset.isEmpty || !isReplaced || old?.isEmpty == true else {
            throw ToolFailure(
                "Nothing is connected, so there is nothing to save, and \(file.quoted) stays as it is; remove it first if it is to be empty."
            )
        }
        try target.write(preset.json)
        let counts = (preset.connections.count, preset.bypasses.count)
        let parts = [
            Self.count(counts.0, "connection", "connections"), Self.count(counts.1, "bypass", "bypasses"),
            state ? Self.count(states.count, "state of an app", "states of apps") : nil,
        ].compactMap(\.self)
        Terminal.report(
            "\(parts.dropLast().joined(separator: ", ")) and \(parts[parts.count - 1]) saved as \(file)"
                + (leftOut.map { ". \($0)" } ?? ""),
            [
                "connections": "\(counts.0)", "bypasses": "\(counts.1)", "leftOut": "\(routing.leftOutCount)",
                "states": "\(states.count)", "file": file,
            ])
    }

    private static func preset(_ preset: RoutingPreset, with states: [RoutingState]) throws -> RoutingPreset {
        do throws(RoutingError) {
            return try RoutingPreset(connections: preset.connections, bypasses: preset.bypasses, states: states)
        } catch {
            throw ToolFailure("The states cannot be saved with the routing: \(error.problem); save it without --state.")
        }
    }

    private static func count(_ number: Int, _ one: String, _ many: String) -> String {
        number == 1 ? "1 \(one)" : "\(number) \(many)"
    }

    /// The sentence about connections that were left out; `nil` if none were.
    private static func leftOut(of routing: CapturedRouting) -> String? {
        let parts = [
            (routing.otherMediaCount, "of MIDI or pictures"),
            (routing.automaticCount, "that a receiver makes by itself"),
            (routing.unrepeatableCount, "that could not be made again"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return parts.isEmpty ? nil : "Left out: \(parts.joined(separator: ", "))"
    }
}

extension RoutingPreset {
    fileprivate var isEmpty: Bool { connections.isEmpty && bypasses.isEmpty && states.isEmpty }
}
