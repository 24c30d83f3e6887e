// SPDX-License-Identifier: MIT
import PipeBus

extension GraphSnapshot {
    /// The unique name of a port, as a person can paste it into a command.
    func shownName(of port: GraphPort) -> String { ShellText.shown(uniqueName(of: port)) }
}
