// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Shows the apps, their ports and their connections.",
        discussion: """
            A connection has a link for each channel. Where there are fewer it says which, as in "(1 of 2 links: FL → FL)": \
            disconnect the two and connect them again for all. A filter with a side-chain has a port for it, which is marked as \
            "auxiliary input of" the filter.
            """)

    @Flag(help: "As JSON, for other programs.")
    var json = false
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let listing = try await Patchbay.with(remote) { bus in
            let graph = await bus.graph
            return GraphListing(graph, levels: await Self.levels(in: graph, bus))
        }
        if json {
            print(try listing.jsonDocument)
        } else {
            print(listing.text)
        }
    }

    /// Requests the levels of all receivers at once: an app that is suspended takes the whole time limit.
    static func levels(
        in graph: GraphSnapshot, _ bus: BusClient
    ) async -> [GraphPort.ID: Result<[GraphPort.ID: Source.Level], PipeBusError>] {
        await withTaskGroup { group in
            for port in graph.ports where port.isPipeBus && port.kind == .receiver {
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
