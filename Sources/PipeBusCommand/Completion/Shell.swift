// SPDX-License-Identifier: MIT
import ArgumentParser

/// A shell that completes the commands of the patchbay.
enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish

    /// The text of a candidate as the shell takes it. Names come from other processes: bash puts this text into the command line as
    /// it is, the others quote it themselves.
    ///
    /// - Returns: `nil` if it cannot be written there.
    func text(of candidate: String, in line: TypedCommandLine) -> String? {
        // A candidate is a line, and fish takes what is behind a tab for a description.
        guard candidate.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else { return nil }
        guard self == .bash else { return candidate }
        switch line.quote {
        case "'": return candidate.unicodeScalars.contains("'") ? nil : candidate
        case .some: return ShellText.betweenQuotes(candidate)
        case nil: break
        }
        // Bash has taken the beginning, up to the last colon, for words of its own.
        var rest = candidate.unicodeScalars[...]
        for _ in 0..<line.breaks {
            guard let index = rest.firstIndex(where: { ":=@".unicodeScalars.contains($0) }) else { return nil }
            rest = rest[rest.index(after: index)...]
        }
        return ShellText.escaped(String(rest))
    }

    /// The script that a shell reads once. It only asks the tool: all that is clever is there, and nothing that another process
    /// chooses is evaluated by the shell.
    var script: String {
        switch self {
        case .bash:
            """
            # pipebus: completion for bash 4 and later. Use: source <(pipebus completion bash)
            _pipebus() {
                mapfile -t COMPREPLY < <("$1" complete bash "${COMP_LINE:0:COMP_POINT}" --breaks "$COMP_WORDBREAKS" 2>/dev/null)
                [[ "${COMPREPLY[0]}" == */ ]] && compopt -o nospace 2>/dev/null
                compopt -o nosort 2>/dev/null
            }
            complete -F _pipebus pipebus
            """
        case .zsh:
            """
            #compdef pipebus
            # pipebus: completion for zsh. Use: source <(pipebus completion zsh), after compinit
            _pipebus() {
                local -a candidates
                local line="${(j: :)words[1,CURRENT-1]} ${(qq)${(Q)PREFIX}}"
                candidates=("${(@f)$("${words[1]}" complete zsh "${line%\\'}" 2>/dev/null)}")
                [[ -n "$candidates[1]" ]] || return
                compadd -U -V folders -S '' -- "${(M@)candidates:#*/}"
                compadd -U -V names -- "${candidates[@]:#*/}"
            }
            compdef _pipebus pipebus
            """
        case .fish:
            """
            # pipebus: completion for fish. Use: pipebus completion fish | source
            complete -c pipebus -f -k -a '(pipebus complete fish (commandline -cp) 2>/dev/null)'
            """
        }
    }
}
