// SPDX-License-Identifier: MIT
import CGIO
import ConnectionGraph
import DesktopSupport
import Glibc

/// The program of an action: what its command line asks for.
struct ActionProgram<Action: AudioAction> {
    private let description = Action.description

    init(_ action: Action.Type) {}

    func run() async -> Never {
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow is an error like any other.
        signal(SIGXFSZ, SIG_IGN)
        unsafe setlocale(LC_ALL, "")
        do {
            try description.check()
            let options = try ActionOptions(CommandLine.arguments, of: description)
            switch options.mode {
            case .work: try await work(options)
            case .service: try await serve()
            case .install: try await install()
            case .uninstall: try await uninstall()
            case .version: print(description.version ?? "")
            }
            exit(EXIT_SUCCESS)
        } catch let failure as ActionOptions.Failure {
            complain("\(failure.message); see \(programName) --help.")
            exit(EX_USAGE)
        } catch {
            let sentence = ActionError.sentence(error)
            complain(sentence)
            // What a file manager starts has no terminal.
            if isatty(STDERR_FILENO) == 0 { await DesktopNotice.show(title: description.name, text: sentence) }
            exit(EXIT_FAILURE)
        }
    }

    private var programName: String {
        let path = CommandLine.arguments.first ?? description.name
        return path.unicodeScalars.split(separator: "/").last.map { String($0).printable } ?? description.name
    }

    private func complain(_ sentence: String) {
        let line = "\(programName): \(sentence.printable)\n"
        StandardError.write(line)
    }

    // MARK: Work

    private func work(_ options: ActionOptions) async throws {
        let paths = options.files
        guard !paths.isEmpty else { throw ActionOptions.Failure(message: "No sound file is named") }
        let (inputs, target) = try split(paths, options)
        if description.acceptsSeveralFiles || inputs.count == 1 {
            try await process(inputs, to: target, options)
            return
        }
        // A file manager gives all files at once, and the action takes one. One that fails does not keep the others from it.
        var failures = 0
        for input in inputs {
            do {
                try await process([input], to: nil, options)
            } catch {
                failures += 1
                complain("\(input): \(ActionError.sentence(error))")
            }
        }
        if failures > 0 {
            throw ActionFailure("\(failures) of \(inputs.count) files have no result; see the sentences above.")
        }
    }

    /// Which paths are read, and which is written.
    private func split(_ paths: [String], _ options: ActionOptions) throws -> (inputs: [String], target: String?) {
        guard paths.count > 1, !options.isBeside else {
            if options.isForced { throw ActionOptions.Failure(message: "--force is for a result whose name is given") }
            return (paths, nil)
        }
        guard paths.count == 2 || description.acceptsSeveralFiles else {
            throw ActionOptions.Failure(
                message:
                    "\(description.name) reads one file and writes one, and \(paths.count) are named; use --beside for a result beside each"
            )
        }
        return (Array(paths.dropLast()), paths.last!)
    }

    private func process(_ paths: [String], to target: String?, _ options: ActionOptions) async throws {
        let files = try paths.map { path throws(ActionFailure) in try ActionFile.file(path) }
        let folder = target.map { SavedFile.folder(of: $0) } ?? files[0].folder ?? "."
        if let target { try check(target, inputs: files, isForced: options.isForced) }
        let line = ProgressLine()
        let request = ActionRequest(
            description, files: files, parameters: options.parameters, activationToken: Self.activationToken,
            folder: folder, outputName: target.map { SavedFile.name(of: $0) },
            progress: { line.show($0) })
        defer { line.clear() }
        let results = try await ActionThread.run {
            try await Action().process(request)
            return try request.finish()
        }
        line.clear()
        for result in results where !result.note.isEmpty { complain("\(result.name): \(result.note)") }
        if let target {
            guard results.count == 1 else {
                throw ActionFailure(
                    .unwritable, "The action has made \(results.count) files, and one name is given; leave OUT out.")
            }
            try results[0].save(as: target, replacing: options.isForced)
            return
        }
        for result in results {
            let path = try result.save(in: folder)
            print(path.printable)
        }
    }

    private static var activationToken: String? {
        for name in ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"] {
            if let token = unsafe getenv(name) { return unsafe String(cString: token) }
        }
        return nil
    }

    /// What can be said before the work.
    private func check(_ target: String, inputs: [ActionFile], isForced: Bool) throws {
        var status = stat()
        guard unsafe stat(target, &status) == 0 else { return }
        let shown = target.shown(atMost: 200)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ActionFailure(.unwritable, "\"\(shown)\" is not a file; name one that is, or a new one.")
        }
        for input in inputs {
            var other = stat()
            let opened = try input.opened()
            let isKnown = withExtendedLifetime(opened) { unsafe fstat(opened.number, &other) == 0 }
            guard isKnown else { continue }
            if other.st_ino == status.st_ino, other.st_dev == status.st_dev {
                throw ActionFailure(
                    .unwritable,
                    "\"\(shown)\" is the file that is read, which an action never changes; name another one.")
            }
        }
        guard isForced else {
            throw ActionFailure(
                .unwritable,
                description.acceptsSeveralFiles
                    ? "\"\(shown)\" is there already, and the last name is that of the result; name a new file, or use --beside."
                    : "\"\(shown)\" is there already; name another file, or replace it with --force.")
        }
    }

    // MARK: Service

    private func serve() async throws {
        let service = try await AudioActionService.start(Action())
        // It is started again when it is wanted.
        await service.waitUntilIdle(for: .seconds(10))
        await service.stop()
    }

    // MARK: Entry

    private func install() async throws {
        let registration = ActionRegistration(description)
        let outcome = try registration.register()
        await ActionRegistration.announce()
        switch outcome {
        case .written(let path): print("\(description.name) is installed: \(path.printable)")
        case .unchanged(let path): print("\(description.name) was installed already: \(path.printable)")
        case .packaged(let path):
            print(
                "\(description.name) is installed by a package, or by a link, which was not touched: \(path.printable)")
        }
    }

    private func uninstall() async throws {
        let isRemoved = try ActionRegistration.unregister(description.id)
        if isRemoved { await ActionRegistration.announce() }
        print(
            isRemoved
                ? "\(description.name) is not installed any more."
                : "\(description.name) was not installed by this user.")
    }
}
