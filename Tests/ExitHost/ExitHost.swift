// SPDX-License-Identifier: MIT
import Glibc
import PipeBus

/// An app whose process ends in the way that a test requests, while its audio runs. It never closes its client.
///
/// The daemon is the one that the environment names. The argument is a ``Way``. The program writes "ready" once its block
/// has run, and a line for each call of a signal handler of its own.
@main
enum ExitHost {
    enum Way: String {
        /// Calls `exit`.
        case exit
        /// Returns from `main`.
        case returns
        case abort
        /// Becomes another program, `sleep`.
        case exec
        /// Has a handler of SIGINT, waits for a signal, and shows afterwards that the handler is there again.
        case handlerBefore
        /// Installs a handler while it waits. It calls nothing else, so the program ends by `SIGTERM`.
        case handlerAfter
        /// Installs a handler while it waits that calls the one that it replaces.
        case chainedHandler
    }

    static func main() async {
        guard let way = Way(rawValue: CommandLine.arguments.dropFirst().first ?? "") else { return say("which way?") }
        do {
            if way == .handlerBefore { Handler.install() }
            let bus = try await BusClient.connect(
                as: "org.pipebus.exit", name: "Exit", allowsConnectionsToSelf: true)
            let (cycles, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
            let sender = try await bus.sender("out", state: ()) { _, _, output in output.fill(0) { _ in 0.5 } }
            // Not fit for the audio thread, and good enough for the first cycle.
            let receiver = try await bus.receiver("in", state: ()) { _, _, _ in continuation.yield() }
            try await bus.connect(sender, to: receiver)
            for await _ in cycles { break }
            try await end(way, bus)
        } catch {
            say("error \(error)")
        }
    }

    private static func end(_ way: Way, _ bus: BusClient) async throws {
        switch way {
        case .exit:
            say("ready")
            Glibc.exit(3)
        case .returns: say("ready")
        case .abort:
            say("ready")
            Glibc.abort()
        case .exec:
            say("ready")
            let arguments = unsafe [strdup("sleep"), strdup("60"), nil]
            unsafe execvp("sleep", arguments)
        case .handlerBefore, .handlerAfter, .chainedHandler: try await wait(way, bus)
        }
    }

    private static func wait(_ way: Way, _ bus: BusClient) async throws {
        let waiting = Task { await bus.waitForSignal() }
        if way != .handlerBefore {
            // Until the wait has installed its handler.
            while !Handler.isOther { await Task.yield() }
            if way == .handlerAfter { Handler.install() } else { Handler.installInFront() }
        } else {
            while Handler.isInstalled { await Task.yield() }
        }
        say("ready")
        let ending = await waiting.value
        say("\(ending)")
        say(Handler.isInstalled ? "handler installed" : "another handler")
        Glibc.exit(4)
    }

    /// At once, and without C's streams.
    static func say(_ line: String) {
        let line = line + "\n"
        _ = unsafe write(STDOUT_FILENO, line, line.utf8.count)
    }
}
