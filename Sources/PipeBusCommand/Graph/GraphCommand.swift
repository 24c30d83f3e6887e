// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import PipeBusApps
import ToolSupport

/// A picture of the graph, in one of several forms.
struct GraphCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph", abstract: "Shows how the sound goes through the graph: as text, or as a picture.",
        discussion: """
            Every port is shown under its app, with what feeds it, the level and the lane of each source, and the age of \
            the sound that leaves the port, or arrives at it. Behind them are the pipelines, from sender to receiver: ↺ \
            stands for one that ends in a loop, and ? for one through an app of which it is not known whether it passes \
            its input on. With NAME, only ports whose app, name or title contains it are shown, and all that they are \
            connected with. --all adds the installed apps that do not run, greyed. Pictures for other programs: \
            `pipebus graph --dot | dot -Tpng > graph.png`.
            """)

    /// The most icons of apps that do not run. Each may have a megabyte.
    private static let mostIcons = 64

    enum Form: String, CaseIterable, EnumerableFlag {
        case dot, mermaid, json

        static func help(for form: Form) -> ArgumentHelp? {
            switch form {
            case .dot: "As a graph for Graphviz."
            case .mermaid: "As a flowchart for Mermaid, in Markdown for example."
            case .json: "As JSON, for other programs."
            }
        }
    }

    @Argument(help: ArgumentHelp("A part of the name of an app or a port.", valueName: "name"))
    var name: String?
    @Flag(help: "With installed apps that do not run, greyed.")
    var all = false
    @Flag var form: Form?
    @Option(help: ArgumentHelp("Writes a picture to the file, which is replaced.", valueName: "file"))
    var svg: String?
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        if svg != nil, let form {
            throw ValidationError("--svg writes a picture, and --\(form.rawValue) prints text; give one of them.")
        }
        if svg == "" { throw ValidationError("The name of the file is empty; name a file after --svg.") }
        if let svg, let ending = svg.split(separator: ".").last?.lowercased(),
            ["png", "jpg", "jpeg", "gif", "pdf", "webp"].contains(ending)
        {
            throw ValidationError(
                "--svg writes SVG; name the file .svg, and make another picture of it with \"rsvg-convert -o FILE\".")
        }
        if name == "" { throw ValidationError("The name is empty; leave it out for the whole graph.") }
    }

    func run() async throws {
        let file = try svg.map { try ReplacedFile(path: $0, example: "graph.svg") }
        let installed = all ? AppDirectory.apps : []
        let (diagram, faces) = try await Patchbay.with(remote) { [name] bus in
            let graph = await bus.graph
            async let pictures = file == nil ? GraphFaces() : bus.faces(in: graph, theme: .user)
            let facts = await GraphFacts.all(of: graph, bus)
            let faces = await pictures
            // The ports that are there by now.
            return (DiagramBuilder(await bus.graph, facts, filter: name, installed: installed).diagram, faces)
        }
        if let name, diagram.apps.isEmpty {
            throw ToolFailure(
                "There is no app or port whose name contains \(name.quoted); \"pipebus list\" shows all of them"
                    + (all ? "." : ", and \"pipebus list --all\" installed apps that do not run."))
        }
        if let file {
            for failure in faces.failures { Terminal.complain(failure, as: "pipebus") }
            let theme = IconTheme.user
            let absent = all ? Set(diagram.apps.filter { !$0.isRunning }.compactMap(\.id)) : []
            let icons = installed.filter { absent.contains($0.id) }.prefix(Self.mostIcons).compactMap { app in
                app.icon(in: theme).map { (app.id, $0) }
            }
            let picture = GraphSVG(diagram, faces: faces, absentFaces: Dictionary(icons) { first, _ in first })
            try file.write(picture.text + "\n")
            return
        }
        print(try text(of: diagram))
    }

    private func text(of diagram: GraphDiagram) throws -> String {
        switch form {
        case .dot: GraphDOT(diagram).text
        case .mermaid: GraphMermaid(diagram).text
        case .json: try GraphDocument(diagram).jsonDocument
        case nil:
            GraphTree(
                diagram, columns: Terminal.isInteractive ? Terminal.columns : nil, hasColour: Terminal.hasColour,
                isUnicode: !Terminal.isInteractive || Terminal.isUnicode
            ).text
        }
    }
}
