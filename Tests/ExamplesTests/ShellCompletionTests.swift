// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Completion in the shells themselves, as a person types.
final class ShellCompletionTests: WatchTestCase {
    private func terminal(_ shell: String, at daemon: HeadlessPipeWire) async throws -> TmuxScreen {
        let programs = URL(fileURLWithPath: Programs.path(of: "pipebus")).deletingLastPathComponent().path
        var environment = daemon.environment()
        environment["PATH"] = "\(programs):/usr/bin:/bin"
        environment["HOME"] = folder
        return try await terminal(shell, columns: 100, rows: 24, environment: environment)
    }

    func testNamesAreCompletedInEveryShell() async throws {
        for shell in ["zsh", "fish"] {
            try XCTSkipUnless(
                FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)"),
                "\(shell) is not here; run Scripts/setup.sh.")
        }
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote, as: "Recorder")
        let (receiver, _) = try await bus.keeper(channels: .stereo)
        for name in ["Grand Piano", "x $(touch made)", "it's"] {
            let app = try await connectClient(to: daemon.remote, as: name)
            _ = try await app.source("main", of: .counting, channels: .stereo)
            try await app.addTrigger(.button, id: "go-on", face: TriggerFace(title: "Go on")) { _ in }
        }
        let made = "\(folder)/made"
        for (shell, setUp, piano, hostile, apostrophe) in [
            (
                "bash --norc --noprofile -i", "PS1='$ '; cd; source <(pipebus completion bash)", "Grand\\ Piano",
                "x\\ \\$\\(touch\\ made\\)", "it\\'s"
            ),
            (
                "zsh -f -i", "PS1='$ '; cd; autoload -U compinit; compinit -u; source <(pipebus completion zsh)",
                "Grand\\ Piano", "x\\ \\$\\(touch\\ made\\)", "it\\'s"
            ),
            (
                "fish --no-config --private",
                "function fish_prompt; echo '$ '; end; cd; pipebus completion fish | source",
                "Grand\\ Piano", "x\\ \\$\\(touch\\ made\\)", "it\\'s"
            ),
        ] {
            let screen = try await terminal(shell, at: daemon)
            try await screen.type("\(setUp); clear; echo READY\(shell.prefix(2))")
            try await screen.press("Enter")
            try await screen.wait("\(shell) to be ready") { $0.contains("READY\(shell.prefix(2))") }
            // A name with a space, the one that fits it, and a command made of both.
            try await screen.type("pipebus conn")
            try await screen.press("Tab")
            try await screen.wait("\(shell): the command") { $0.contains { $0.contains("pipebus connect") } }
            try await screen.type("Gr")
            try await screen.press("Tab")
            try await screen.wait("\(shell): a name") { $0.contains { $0.contains("pipebus connect \(piano)") } }
            try await screen.type("Rec")
            try await screen.press("Tab")
            try await screen.wait("\(shell): two names") {
                $0.contains { $0.contains("pipebus connect \(piano) Recorder") }
            }
            try await screen.press("Enter")
            try await screen.wait("\(shell): the connection") {
                $0.contains { $0.contains("Grand Piano.main → Recorder.in, 2 links") }
            }
            try await bus.disconnect("Grand Piano", from: receiver)
            // Names that a shell would run.
            try await screen.type("pipebus connect x")
            try await screen.press("Tab")
            try await screen.wait("\(shell): a hostile name") {
                $0.contains { $0.contains("pipebus connect \(hostile)") }
            }
            try await screen.press("C-c")
            try await screen.type("pipebus connect it")
            try await screen.press("Tab")
            try await screen.wait("\(shell): an apostrophe") {
                $0.contains { $0.contains("pipebus connect \(apostrophe)") || $0.contains("pipebus connect \"it's\"") }
            }
            try await screen.press("C-c")
            try await screen.type("pipebus trigger Gr")
            try await screen.press("Tab")
            try await screen.wait("\(shell): a trigger") {
                $0.contains { $0.contains("pipebus trigger \(piano):go-on") }
            }
            try await screen.close()
            XCTAssertFalse(FileManager.default.fileExists(atPath: made), shell)
        }
    }
}
