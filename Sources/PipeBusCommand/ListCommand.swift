// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import PipeBusApps
import ToolSupport

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Shows the apps, their ports and their connections.",
        discussion: """
            A connection is shown below both of its ports: "→" below its source, "←" below its destination. It has a link for each \
            channel. Where there are fewer it says which, as in "(1 of 2 links: FL → FL)": \
            disconnect the two and connect them again for all. A filter with a side-chain has a port for it, which is marked as \
            "auxiliary input of" the filter. With NAME, only ports whose app, name or title contains it are shown. --all adds the \
            installed apps that do not run, by their desktop entries, and says where an app's ports are not those that it declares.
            """, aliases: ["ls"])

    @Argument(help: ArgumentHelp("A part of the name of an app or a port.", valueName: "name"))
    var name: String?
    @Flag(help: "With installed apps that do not run.")
    var all = false
    @Flag(help: "As JSON, for other programs.")
    var json = false
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        if name == "" { throw ValidationError("The name is empty; leave it out for all ports.") }
    }

    func run() async throws {
        let apps = all ? AppDirectory.apps : nil
        let listing = try await Patchbay.with(remote) { [name] bus in
            let graph = await bus.graph
            let shown = name.map { name in Set(GraphFilter.ports(named: name, in: graph).map(\.id)) }
            let installed = apps.map { InstalledListing($0, in: graph, named: name) }
            if let name, shown?.isEmpty == true, installed?.apps.isEmpty != false {
                throw ToolFailure(
                    "There is no app or port whose name contains \(name.quoted); \"pipebus list\" shows all of them"
                        + (installed == nil ? ", and \"pipebus list --all\" installed apps that do not run." : "."))
            }
            var listing = GraphListing(graph, levels: await Self.levels(in: graph, of: shown, bus), of: shown)
            listing.installed = installed?.apps
            return listing
        }
        if json {
            print(try listing.jsonDocument)
        } else {
            print(listing.text(hasColours: Terminal.hasColour))
        }
    }

    /// Requests the levels of all receivers at once: an app that is suspended takes the whole time limit.
    ///
    /// - Parameter shown: the ports whose levels are wanted; `nil` for all.
    static func levels(
        in graph: GraphSnapshot, of shown: Set<GraphPort.ID>? = nil, _ bus: BusClient
    ) async -> [GraphPort.ID: Result<[GraphPort.ID: Source.Level], PipeBusError>] {
        await withTaskGroup { group in
            for port in graph.ports where port.isPipeBus && port.kind == .receiver && shown?.contains(port.id) != false
            {
                group.addTask {
                    do {
                        return (port.id, Result<_, PipeBusError>.success(try await bus.levels(at: port)))
                    } catch {
                        let error = error as? PipeBusError ?? PipeBusError(.pipeWire, "\(error)")
                        return (port.id, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }
}
