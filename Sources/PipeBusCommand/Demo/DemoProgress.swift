// SPDX-License-Identifier: MIT
import ToolSupport

/// What the demo is about to do, for whoever waits for it.
enum DemoProgress {
    /// Prints a line before a step that takes long. A reader at the end of a pipe gets it at once, too.
    static func show(_ step: String) throws {
        print(step)
        try Terminal.flush()
    }
}
