// SPDX-License-Identifier: MIT
import BenchmarkSupport
import CBenchmarkPeer
import CBenchmarkSound
import Glibc
import PipeBus

/// Connects a stereo source to a receiver, and measures how long it takes until it is heard there.
///
///     sound-pipebus APP-NAME SOURCE
///
/// Writes "ready" when it has its port. Each SIGUSR1 is answered with a line of nanoseconds from the call of `connect`: until the first
/// sample is heard, until both channels are, and until the call returns. Then the source is disconnected. Ends on SIGTERM.
@main
struct Sound {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { fail("usage: sound-pipebus APP-NAME SOURCE", status: 64) }
        peer_block_signals()
        let listener = Listener()
        let (bus, port) = waiting { try await start(as: arguments[1], listener) }
        _ = unsafe write(STDOUT_FILENO, "ready\n", 6)
        while waitForSignal() == SIGUSR1 {
            unsafe sound_wait_for_silence(listener.sound)
            unsafe sound_listen(listener.sound)
            let begin = sound_now()
            let end = waiting {
                try await bus.connect(arguments[2], to: port)
                return sound_now()
            }
            let first = unsafe sound_wait_for_first(listener.sound)
            let all = unsafe sound_wait_for_all(listener.sound)
            let line = "\(first - begin) \(all - begin) \(end - begin)\n"
            _ = unsafe write(STDOUT_FILENO, line, line.utf8.count)
            waiting { try await bus.disconnect(arguments[2], from: port) }
        }
        waiting { await bus.close() }
    }

    private static func start(as name: String, _ listener: Listener) async throws -> (BusClient, ReceiverPort) {
        let bus = try await BusClient.connect(as: "org.pipebus.benchmark", name: name)
        let port = try await bus.receiver("in", alignment: .immediate, fade: .none, state: listener) {
            listener, cycle, mix in
            listener.hear(mix[0][cycle.frameCount - 1], mix[1][cycle.frameCount - 1])
        }
        return (bus, port)
    }

    private static func waitForSignal() -> Int32 {
        var signals = sigset_t()
        for number in [SIGUSR1, SIGTERM, SIGINT] { unsafe sigaddset(&signals, number) }
        var number: Int32 = 0
        unsafe sigwait(&signals, &number)
        return number
    }
}
