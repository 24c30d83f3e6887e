// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusApps
import PipeBusTesting
import ToolSupport

/// A filter's process, and all that it starts, in a session of its own.
final class RenderHost: Sendable {
    /// What the process between says.
    enum Event: Sendable, Equatable {
        /// Whether there is a session bus for the app.
        case bus(Bool)
        /// The program could not be started: a sentence.
        case failed(String)
        /// The program ended, with the last line of its errors.
        case ended(ChildProcess.Ending, String)

        var line: String {
            switch self {
            case .bus(let isThere): "bus \(isThere ? 1 : 0)"
            case .failed(let sentence): "failed \(TerminalText.printable(sentence))"
            case .ended(.exited(let status), let text): "exited \(status) \(TerminalText.printable(text))"
            case .ended(.killed(let signal), let text): "killed \(signal) \(TerminalText.printable(text))"
            }
        }

        init?(line: String) {
            let words = line.unicodeScalars.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2 else { return nil }
            let parts = words[1].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map {
                String($0)
            }
            let number = Int32(parts[0])
            switch String(words[0]) {
            case "bus": self = .bus(number == 1)
            case "failed": self = .failed(String(words[1]))
            case "exited": self = .ended(.exited(number ?? -1), parts.count > 1 ? parts[1] : "")
            case "killed": self = .ended(.killed(signal: number ?? -1), parts.count > 1 ? parts[1] : "")
            default: return nil
            }
        }
    }

    let filter: RenderFilter
    /// The address of the app's session bus.
    let bus: String
    private let process: ChildProcess

    /// - Parameters:
    ///   - folder: exists, and is removed by somebody else.
    ///   - remote: the path of the daemon's socket.
    /// - Throws: ``ToolFailure``.
    init(_ filter: RenderFilter, at remote: String, in folder: String) throws {
        self.filter = filter
        bus = RenderBus.address(in: folder)
        var arguments = ["render-host", "--folder=\(folder)", "--remote=\(remote)"]
        switch filter {
        case .app(let app, let port): arguments += ["--app=\(app.id)", "--port=\(port.name)"]
        case .command(let text): arguments.append("--command=\(text)")
        }
        do {
            process = try ChildProcess(
                "/proc/self/exe", arguments, environment: RenderEnvironment.make(remote: remote, bus: bus),
                endMethod: .endOfInput)
        } catch let error as TestKitError {
            throw ToolFailure(error.description)
        }
    }

    private var events: [Event] { process.output.lines.compactMap { Event(line: $0) } }

    /// Whether an app of the graph is one of the filter's processes.
    func owns(_ peer: Peer) -> Bool {
        peer.processID.map { ProcessTree.isDescendant($0, of: process.pid) } ?? false
    }

    /// Whether the app has a session bus; `nil` while that is not known.
    var hasBus: Bool? {
        for case .bus(let isThere) in events { return isThere }
        return nil
    }

    /// Whether the program has ended by itself, with status 0: it may have started another one that goes on.
    var hasEnded: Bool { events.contains { if case .ended(.exited(0), _) = $0 { true } else { false } } }

    /// - Parameter isPlaying: whether the filter was there already.
    /// - Throws: ``ToolFailure`` if the program could not be started, or ended with an error.
    func check(isPlaying: Bool) throws {
        for event in events {
            switch event {
            case .failed(let sentence): throw ToolFailure(sentence)
            case .ended(let ending, let text) where ending != .exited(0):
                throw failure(ending, text, isPlaying ? "while it played" : "before its filter was there")
            default: continue
            }
        }
        if process.ending != nil {
            throw ToolFailure(
                process.errors.lines.last.map { "\(filter.name) could not be kept (\($0)); try again." }
                    ?? "The process that keeps \(filter.name) has ended; try again.")
        }
    }

    private func failure(_ ending: ChildProcess.Ending, _ text: String, _ phase: String) -> ToolFailure {
        let how =
            switch ending {
            case .exited(let status): "ended with status \(status)"
            case .killed(let signal): "was ended by signal \(signal)"
            }
        let said = text.isEmpty ? "; start it by hand to see why." : ": \(text.prefix(300))"
        return ToolFailure("\(filter.name) \(how) \(phase)\(said)")
    }

    /// Ends the filter's processes. Idempotent.
    func end() { process.closeInput() }

    /// Waits until they have ended, for ten seconds at most.
    func waitForEnd() async { _ = try? await process.waitForEnd(within: .seconds(10)) }
}
