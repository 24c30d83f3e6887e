// SPDX-License-Identifier: MIT
import DesktopSupport

/// Docs/Protocols.md, "Actions".
extension EntryKey {
    /// The interface of an action on the session bus, among those that an entry implements.
    static let actionInterface = "org.pipebus.AudioAction1"
    static let comment = "Comment"
    static let mimeType = "MimeType"
    /// The types that the action takes; `MimeType` without it.
    static let accepts = "X-PipeBus-Accepts"
    /// `several` if the action takes several files at once.
    static let files = "X-PipeBus-Files"
    static let isInteractive = "X-PipeBus-Interactive"
    static let suffix = "X-PipeBus-Suffix"
    /// In the form of ``ActionParameter/text``.
    static let parameters = "X-PipeBus-Parameters"
    /// The file that a program writes, which knows nothing of PipeBus; `%f` if it changes the file that it is given.
    static let output = "X-PipeBus-Output"
}
