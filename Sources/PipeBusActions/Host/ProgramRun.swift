// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport
import Glibc

/// Runs a program that knows nothing of PipeBus, by the `Exec` line of its entry, on copies of the files in a folder of its own.
struct ProgramRun {
    let call: ActionCall
    /// The file that the program writes; `nil` if it changes the file that it is given.
    let output: String?

    private enum Event: Sendable {
        case ended(StartedProgram.End)
        case tick
        case cancelled
    }

    /// - Throws: ``ActionFailure``; `CancellationError`.
    func results() async throws -> [ActionResult] {
        let work = try await Work.make(for: call)
        defer { withExtendedLifetime(work.folder) {} }
        let program: StartedProgram
        do {
            program = try await StartedProgram.start(entryAt: call.action.entryPath, work.settings(call))
        } catch let error as GLibError {
            throw call.failure(
                .notStarted, "cannot be started (\(error.message.shown(atMost: 300))); install it again.")
        }
        do {
            switch try await end(of: program) {
            case .exited(0): break
            case .exited(let status):
                let reason = work.reason
                throw call.failure(
                    .refused,
                    "failed with status \(status)" + (reason.isEmpty ? ", and did not say why." : ": \(reason)"))
            case .killed(let signal):
                throw call.failure(.ended, "was ended by signal \(signal) before it was done; try again.")
            }
        } catch {
            await Self.stop(program)
            throw error
        }
        guard let output else { return [try await changedFile(in: work)] }
        return [try await writtenFile(output, in: work)]
    }

    // MARK: The end

    private func end(of program: StartedProgram) async throws -> StartedProgram.End {
        let (events, event) = AsyncStream.makeStream(of: Event.self)
        let tasks = [
            Task { for await end in program.end { event.yield(.ended(end)) } },
            Task { while (try? await Task.sleep(for: .milliseconds(100))) != nil { event.yield(.tick) } },
        ]
        defer { for task in tasks { task.cancel() } }
        var work: (time: UInt64, at: ContinuousClock.Instant) = (0, .now)
        return try await withTaskCancellationHandler {
            for await event in events {
                switch event {
                case .ended(let end): return end
                case .cancelled: throw CancellationError()
                case .tick:
                    try call.checkTime()
                    guard !call.action.isInteractive, work.at.duration(to: .now) > call.limits.silence / 4 else {
                        continue
                    }
                    // A program that knows nothing of PipeBus reports nothing. One that works takes processor time.
                    let time = ProcessFacts.processorTime(ofSession: program.pid)
                    if time != work.time {
                        work = (time, .now)
                    } else if work.at.duration(to: .now) > call.limits.silence {
                        throw call.failure(
                            .timedOut,
                            "has shown no sign of work for \(call.limits.silence.words), and was ended; try again.")
                    }
                }
            }
            throw CancellationError()
        } onCancel: {
            event.yield(.cancelled)
        }
    }

    /// Ends the program with what it has started, but for what has left its process group: as a terminal ends a command.
    private static func stop(_ program: StartedProgram) async {
        kill(-program.pid, SIGTERM)
        // The caller may be cancelled, and this is to be done all the same.
        await Task { if await program.end(within: .seconds(2)) == nil { kill(-program.pid, SIGKILL) } }.value
    }

    // MARK: Results

    private func changedFile(in work: Work) async throws -> ActionResult {
        let input = work.inputs[0]
        guard let file = open(input.path) else {
            throw call.failure(.invalidResult, "has removed the file that it was given; try another action.")
        }
        if call.action.isEditor, input.isUnchanged(file) { throw CancellationError() }
        return try await call.result(of: file.number, named: "")
    }

    private func writtenFile(_ name: String, in work: Work) async throws -> ActionResult {
        guard let file = open("\(work.output)/\(name)") else {
            throw call.failure(.invalidResult, "ended without the file \"\(name)\"; mend its entry, or its program.")
        }
        return try await call.result(of: file.number, named: "")
    }

    /// A file in the program's folder, which may have put anything there: links are not followed.
    private func open(_ path: String) -> OwnedDescriptor? {
        let number = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        return number >= 0 ? OwnedDescriptor(number) : nil
    }
}

extension ProgramRun {
    /// The folder of a run.
    fileprivate struct Work: Sendable {
        let folder: WorkFolder
        /// The program's working folder, in which nothing else is.
        let output: String
        let inputs: [Copy]
        private let errors: OwnedDescriptor

        /// A copy of a file that the program is given.
        struct Copy: Sendable {
            let path: String
            private let number: UInt64
            private let version: FileVersion

            init?(_ path: String, _ descriptor: Int32) {
                var status = stat()
                guard unsafe fstat(descriptor, &status) == 0, let version = FileVersion(of: descriptor) else {
                    return nil
                }
                self.path = path
                number = UInt64(status.st_ino)
                self.version = version
            }

            func isUnchanged(_ file: OwnedDescriptor) -> Bool {
                guard let now = Copy(path, file.number) else { return false }
                return now.number == number && now.version == version
            }
        }

        @concurrent
        static func make(for call: ActionCall) async throws -> Work {
            do {
                let folder = try WorkFolder.make()
                // In folders of their own, so that no name is that of the result.
                let (inputs, output) = ("\(folder.path)/in", "\(folder.path)/out")
                guard unsafe mkdir(inputs, 0o700) == 0, unsafe mkdir(output, 0o700) == 0 else {
                    throw DesktopError(
                        .refused, "No folder can be made in \"\(folder.path.shown())\"; make room there.")
                }
                var copies: [Copy] = []
                for (place, input) in call.inputs.enumerated() {
                    let name = ResultName.cleaned(input.name) ?? "Sound"
                    let path = "\(inputs)/\(place == 0 ? name : ResultName.numbered(name, place + 1))"
                    copies.append(try copy(input, of: call, to: path, in: inputs))
                }
                let path = "\(folder.path)/errors"
                let errors = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
                guard errors >= 0 else {
                    throw DesktopError(.refused, "No file can be made in \"\(folder.path.shown())\"; make room there.")
                }
                return Work(folder: folder, output: output, inputs: copies, errors: OwnedDescriptor(errors))
            } catch let error as DesktopError {
                throw ActionFailure(.unwritable, error.message)
            }
        }

        private static func copy(
            _ input: ActionCall.Input, of call: ActionCall, to path: String, in folder: String
        ) throws -> Copy {
            let file = try ScratchFile.make(in: folder)
            try call.copy(input, into: file)
            guard try file.publish(as: path, replacing: false) == .done, let copy = Copy(path, file.descriptor) else {
                throw DesktopError(.refused, "Two of the files have the name \"\(path.shown())\"; rename one.")
            }
            return copy
        }

        func settings(_ call: ActionCall) -> StartedProgram.Settings {
            var settings = StartedProgram.Settings()
            settings.files = inputs.map(\.path)
            settings.folder = output
            settings.errors = errors
            // A user's editor goes on: there may be work in it that is not saved.
            settings.endsWithParent = !call.action.isEditor
            settings.removedVariables = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"]
            if let token = call.activationToken {
                settings.environment = ["XDG_ACTIVATION_TOKEN": token, "DESKTOP_STARTUP_ID": token]
            }
            return settings
        }

        /// What the program wrote last to its standard error, for people.
        var reason: String {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let end = max((errors.byteCount ?? 0) - bytes.count, 0)
            let count = unsafe pread(errors.number, &bytes, bytes.count, off_t(end))
            let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
            return text.unicodeScalars.split(separator: "\n").map { String($0).shown(atMost: 300) }
                .last { $0.contains { !$0.isWhitespace } } ?? ""
        }
    }
}
