// SPDX-License-Identifier: MIT
import Glibc
import PipeBusActions

/// An action for tests, which behaves as its parameter says. With `--lie` it is no action of the library at all.
@main
struct ActionHost: AudioAction {
    /// Entries that tests write set the variable, so that there are several actions of this program.
    private static let kind = unsafe getenv("ACTION_HOST").map { unsafe String(cString: $0) } ?? "One"

    static let description = ActionDescription(
        id: "org.pipebus.test.\(kind)", name: "Test \(kind)", suffix: "Tested", comment: "Tests.",
        acceptsSeveralFiles: kind == "Several", isInteractive: kind == "Asking",
        parameters: [
            .choice(
                "mode", title: "Mode",
                of: ["copy", "fail", "throw", "crash", "exit", "hang", "stop", "slow", "none", "join", "two"],
                default: "copy"),
            .number("gain", title: "Gain: all of it", in: -24...24, unit: "dB", default: 0),
            .flag("loud", title: "Loud"),
        ])

    /// An error that says nothing to people.
    private struct Odd: Error {}

    static func main() async {
        if CommandLine.arguments.contains("--lie") { await LyingAction.run() }
        await runProgram()
    }

    func process(_ request: ActionRequest) async throws {
        switch request.choice("mode") {
        case "fail": throw ActionFailure("The oven is cold; warm it.")
        case "throw": throw Odd()
        case "crash": abort()
        case "exit": exit(3)
        case "hang": while true { pause() }
        case "stop": kill(getpid(), SIGSTOP)
        case "none": return
        case "slow":
            // Until it is cancelled.
            for count in 0... {
                _ = poll(nil, 0, 10)
                try request.report(min(Double(count) / 100, 0.9))
            }
        default: break
        }
        try copy(request)
    }

    private func copy(_ request: ActionRequest) throws {
        let gain = pow(10, request.number("gain") / 20)
        let isJoined = request.choice("mode") == "join"
        var joined: SoundOutput?
        for input in try request.inputs {
            let output = try joined ?? request.makeOutput(for: input, suffix: request.activationToken)
            if isJoined { joined = output }
            while true {
                var block = try input.read(upTo: input.blockFrameCount)
                if block.isEmpty { break }
                if gain != 1 { block.samples = block.samples.map { $0 * gain } }
                try output.write(block)
            }
            if request.choice("mode") == "two" {
                let second = try request.makeOutput(for: input, suffix: "Second")
                try input.seek(to: 0)
                try second.write(input.read(upTo: 1))
            }
        }
    }
}
