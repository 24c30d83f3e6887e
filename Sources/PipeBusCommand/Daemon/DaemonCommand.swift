// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import PipeBus
import PipeBusTesting
import ToolSupport

/// Keeps a private daemon where there is no session with one: in a container, over ssh, in CI.
struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Keeps a PipeWire daemon of its own, and prints how to reach it.",
        discussion: """
            For containers, ssh and tests: it has no sound cards and no session manager, and runs in real time. It prints one line \
            that a shell understands, and ends with control-C, with SIGTERM, or with the shell of the terminal. \
            In bash and zsh this starts one for the shell, and ends it with the shell:

                eval "$(pipebus daemon --until $$ &)"

            Control-C in that shell does not end it. \
            A daemon that ends by itself, or is killed, is started again at the same place. Nothing is left of it afterwards, also if this command is killed.
            """)

    @Option(help: ArgumentHelp("The sample rate, in hertz: 8000 to 384000.", valueName: "hz"))
    var rate = 48_000
    @Option(help: ArgumentHelp("The frames in a cycle: 16 to 8192; a power of two.", valueName: "frames"))
    var quantum = 1024
    @Flag(help: "With a stereo output device without hardware, \"null-sink\".")
    var sink = false
    @Flag(help: "With a stereo input device that is silent, \"null-source\".")
    var source = false
    @Option(
        help: ArgumentHelp(
            "Ends with that process too. Without it, with the shell of the terminal or of the ssh session.",
            valueName: "pid"))
    var until: Int?

    func validate() throws {
        try Check.that("--rate", rate, isIn: 8000...384_000, unit: "hertz")
        try Check.that("--quantum", quantum, isIn: 16...8192, unit: "frames")
        try Check.that("--until", until, isIn: 1...Int(Int32.max), unit: "as a process")
        guard quantum.nonzeroBitCount == 1 else {
            throw ValidationError("--quantum takes a power of two, such as 256 or 1024, not \(quantum).")
        }
    }

    /// Longer than anybody keeps one. The guard of the daemon needs a limit.
    private static let limit: Duration = .seconds(1_000_000_000)

    func run() async throws {
        // In the process group of a shell that is not to end it, control-C at the prompt would.
        if until != nil, !Terminal.isInteractive { setpgid(0, 0) }
        let watch = SignalWatch()
        let shell = try until.map { try RunningProcess($0) } ?? RunningProcess.session
        guard PipeWireInstallation.chosen.isFound else {
            throw ToolFailure(
                "There is no program \"pipewire\" here; install PipeWire (on Debian and Ubuntu the package pipewire).")
        }
        let daemon: HeadlessPipeWire
        do {
            daemon = try await HeadlessPipeWire.start(
                .init(quantum: quantum, sampleRate: rate, hasNullSink: sink, hasNullSource: source), limit: Self.limit)
        } catch let error as TestKitError {
            throw ToolFailure(Self.sentence(for: error))
        }
        do {
            try announce(daemon)
            try await Self.wait(for: daemon, shell, watch)
        } catch {
            try? await daemon.close()
            throw error
        }
        try await daemon.close()
    }

    private func announce(_ daemon: HeadlessPipeWire) throws {
        print("export PIPEWIRE_REMOTE=\(ShellText.quoted(daemon.remote))")
        try Terminal.flush()
        // A shell that evaluates the line waits for the end of the output.
        if !Terminal.isInteractive { Terminal.closeOutput() }
        let how =
            Terminal.isInteractive ? "the line above in a shell lets its programs use it" : "PIPEWIRE_REMOTE names it"
        Terminal.note(
            "A PipeWire daemon runs at \(daemon.remote), at \(rate) Hz with \(quantum) frames in a cycle; \(how), and --remote does it "
                + "for one of PipeBus's tools.")
    }

    /// How often it is started again within a minute.
    private static let mostRestarts = 5

    private static func wait(for daemon: HeadlessPipeWire, _ shell: RunningProcess?, _ watch: SignalWatch) async throws
    {
        var restarts: [ContinuousClock.Instant] = []
        while watch.signal == nil, shell?.isRunning ?? true {
            if !daemon.isRunning {
                // At the same address: apps that wait for it find it again.
                restarts = restarts.filter { $0.duration(to: .now) < .seconds(60) } + [.now]
                guard restarts.count <= mostRestarts else {
                    throw ToolFailure(
                        "The daemon has ended \(restarts.count) times within a minute; PIPEWIRE_DEBUG=4 may show the reason."
                    )
                }
                do { try await daemon.restart() } catch let error as TestKitError {
                    // It may have been killed once more.
                    if daemon.isRunning { throw ToolFailure(sentence(for: error)) }
                }
            }
            // The pace of polling, for signals and ends that nothing else reports.
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// One sentence; the rest of the error is the daemon's log.
    private static func sentence(for error: TestKitError) -> String {
        let line = error.description.split(separator: "\n").first.map(String.init) ?? "The daemon could not be started."
        return "\(line.hasSuffix(".") ? line.dropLast() : line[...]); PIPEWIRE_DEBUG=4 may show the reason."
    }
}
