// SPDX-License-Identifier: MIT
import ConnectionGraph

/// What an action is: its names, what it takes, and its parameters.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct ActionDescription: Sendable, Hashable {
    /// The reverse-DNS id, such as `org.example.Reverse`: the action's name on the session bus, and that of its desktop entry.
    public var id: String
    /// The action's name, for people: a verb.
    public var name: String
    /// What the name of a result has in parentheses: "Speech.wav" becomes "Speech (Reversed).wav".
    public var suffix: String
    /// One sentence about the action, for people.
    public var comment: String?
    /// The version of the program, which `--version` prints, such as "1.2". Without it there is no such option.
    public var version: String?
    /// The icon in the icon theme, or the absolute path of a picture.
    public var iconName: String?
    /// The types of the files that it takes.
    public var acceptedTypes: [MIMEType]
    /// Whether it takes several files at once; otherwise it takes exactly one.
    public var acceptsSeveralFiles: Bool
    /// Whether it shows itself and asks the user; otherwise it begins at once.
    public var isInteractive: Bool
    /// Its settings.
    public var parameters: [ActionParameter]

    /// Describes an action. What is wrong in it, such as a name that no option can have, is an error when the action is started.
    ///
    /// - Parameter acceptedTypes: all of audio unless given.
    public init(
        id: String, name: String, suffix: String, comment: String? = nil, version: String? = nil,
        iconName: String? = nil,
        accepts acceptedTypes: [MIMEType] = [.anySound], acceptsSeveralFiles: Bool = false, isInteractive: Bool = false,
        parameters: [ActionParameter] = []
    ) {
        self.id = id
        self.name = name
        self.suffix = suffix
        self.comment = comment
        self.version = version
        self.iconName = iconName
        self.acceptedTypes = acceptedTypes
        self.acceptsSeveralFiles = acceptsSeveralFiles
        self.isInteractive = isInteractive
        self.parameters = parameters
    }

    /// The largest number of parameters.
    static let largestParameterCount = 64

    /// - Throws: ``ActionFailure`` `invalidDescription`.
    func check() throws(ActionFailure) {
        func fail(_ sentence: String) -> ActionFailure { ActionFailure(.invalidDescription, sentence) }
        guard AppID.isValid(id) else {
            throw fail("\"\(id.shown())\" is no id of an action; it must look like org.example.Action.")
        }
        let texts =
            [("name", name), ("suffix", suffix)]
            + [("comment", comment), ("version", version), ("icon", iconName)].compactMap { what, text in
                text.map { (what, $0) }
            }
        for (what, text) in texts where !ActionText.isShown(text) {
            throw fail("The \(what) of the action is empty, longer than 128 bytes, or not printable; give another one.")
        }
        guard ResultName.isSuffix(suffix) else {
            throw fail("The suffix of the action has a slash, which no file name has; give another one.")
        }
        guard !acceptedTypes.isEmpty, acceptedTypes.allSatisfy(\.isValid) else {
            throw fail("The action takes no types, or one that is none; name types such as audio/*.")
        }
        guard parameters.count <= Self.largestParameterCount else {
            throw fail("The action has \(parameters.count) parameters; \(Self.largestParameterCount) are allowed.")
        }
        var names: Set<String> = []
        for parameter in parameters {
            if let fault = parameter.fault {
                throw fail("The parameter \"\(parameter.name.shown())\" \(fault).")
            }
            guard names.insert(parameter.name.lowercased()).inserted else {
                throw fail("Two parameters are called \"\(parameter.name)\"; give one another name.")
            }
        }
    }
}
