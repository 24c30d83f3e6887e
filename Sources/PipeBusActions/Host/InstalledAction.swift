// SPDX-License-Identifier: MIT

/// An action that is installed: a program that makes other files of sound files.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct InstalledAction: Sendable, Hashable, Identifiable {
    /// How the action is run.
    enum Transport: Sendable, Hashable {
        /// Over the session bus, by the interface `org.pipebus.AudioAction1`.
        case bus
        /// As a program that knows nothing of PipeBus, by the `Exec` line of its entry.
        ///
        /// - Parameter output: the file that it writes in its folder; `nil` if it changes the file that it is given.
        case program(output: String?)
    }

    /// The reverse-DNS id, which is the name of its desktop entry.
    public let id: String
    /// The action's name in the language of the user.
    public let name: String
    /// One sentence about the action in the language of the user.
    public let comment: String?
    /// The icon in the icon theme, or the absolute path of a picture.
    public let iconName: String?
    /// What the name of a result has in parentheses.
    public let suffix: String
    /// The types of the files that it takes.
    public let acceptedTypes: [MIMEType]
    /// Whether it takes several files at once; otherwise it takes exactly one.
    public let acceptsSeveralFiles: Bool
    /// Whether it shows itself and asks the user; otherwise it begins at once.
    public let isInteractive: Bool
    /// Its settings.
    public let parameters: [ActionParameter]
    /// Whether it is any app that opens sound files and does not know that it is an action. If its user saves the file, that is the result.
    public let isEditor: Bool
    /// The path of the desktop entry.
    public let entryPath: String
    let transport: Transport

    /// The most files at once.
    var largestFileCount: Int {
        guard acceptsSeveralFiles else { return 1 }
        return transport == .bus ? ActionProtocol.mostDescriptors : .max
    }

    /// Whether the action takes these files. Those that are no sound are not counted. Over D-Bus it takes at most 16 at once.
    public func accepts(_ files: [ActionFile]) -> Bool {
        let sounds = files.filter(\.isSound)
        guard !sounds.isEmpty, sounds.count <= largestFileCount else { return false }
        return sounds.allSatisfy { file in acceptedTypes.contains { file.type.conforms(to: $0) } }
    }
}
