// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBusActions
import ToolSupport

struct ActionListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Shows the installed actions, or those that take some files.",
        discussion: """
            With FILE, only the actions are shown that take those files together; files that are no sound are left out of account. --type \
            asks the same for a type, such as audio/flac, without a file. --all adds the apps that open sound files and know nothing of \
            actions: they are given a copy, and what is saved there is the result.
            """, aliases: ["ls"])

    @Argument(help: ArgumentHelp("A sound file.", valueName: "file"))
    var files: [String] = []
    @Option(help: ArgumentHelp("A type, instead of files.", valueName: "type"))
    var type: String?
    @Flag(help: "With apps that open sound files.")
    var all = false
    @Flag(help: "As JSON, for other programs.")
    var json = false

    func validate() throws {
        guard let type else { return }
        guard files.isEmpty else { throw ValidationError("Files have their types; leave --type out.") }
        guard MIMEType(type).isValid else {
            throw ValidationError("\(type.quoted) is no type; give one such as audio/flac.")
        }
    }

    func run() async throws {
        let listing = ActionListing(try await actions)
        for warning in await AudioActions.entryWarnings() { Terminal.complain(warning, as: "pipebus") }
        if json {
            print(try listing.actions.jsonDocument)
        } else if listing.actions.isEmpty {
            print(
                files.isEmpty && type == nil
                    ? "No action is installed; an action's program installs itself with --install."
                    : "No installed action takes \(files.count > 1 ? "these files together" : "this"); \"pipebus action list\" shows all."
            )
        } else {
            print(listing.text)
        }
    }

    private var actions: [InstalledAction] {
        get async throws {
            if let type {
                return await AudioActions.available(for: [.placeholder(MIMEType(type))], includingEditors: all)
            }
            guard !files.isEmpty else { return await AudioActions.installed(includingEditors: all) }
            do {
                let files = try files.map { path throws(ActionFailure) in try ActionFile.file(path) }
                return await AudioActions.available(for: files, includingEditors: all)
            } catch { throw ToolFailure(error.message) }
        }
    }
}
