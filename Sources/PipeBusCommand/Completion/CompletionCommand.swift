// SPDX-License-Identifier: MIT
import ArgumentParser

struct CompletionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Prints a script with which a shell completes commands and the names of ports, apps and triggers.",
        discussion: """
            In ~/.bashrc: source <(pipebus completion bash)
            In ~/.zshrc, after compinit: source <(pipebus completion zsh)
            In ~/.config/fish/config.fish: pipebus completion fish | source
            """)

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() async throws { print(shell.script) }
}
