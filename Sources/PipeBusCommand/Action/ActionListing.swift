// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusActions
import ToolSupport

/// Installed actions in the form of `action list`.
struct ActionListing {
    struct Action: Encodable {
        var name: String
        var id: String
        var comment: String?
        var icon: String?
        var suffix: String
        /// The types that it takes.
        var accepts: [String]
        var acceptsSeveralFiles: Bool
        var isInteractive: Bool
        /// Whether it is an app that opens sound files and knows nothing of actions.
        var isEditor: Bool
        var parameters: [Parameter]
        /// The path of its desktop entry.
        var entry: String
    }

    struct Parameter: Encodable {
        var name: String
        var title: String
        /// Of a number.
        var minimum: Double?
        var maximum: Double?
        var unit: String?
        /// Of a choice.
        var words: [String]?
        /// As it is typed.
        var `default`: String
        var range: String
    }

    var actions: [Action]

    init(_ installed: [InstalledAction]) {
        actions = installed.map { action in
            Action(
                name: action.name, id: action.id, comment: action.comment, icon: action.iconName, suffix: action.suffix,
                accepts: action.acceptedTypes.map(\.name), acceptsSeveralFiles: action.acceptsSeveralFiles,
                isInteractive: action.isInteractive, isEditor: action.isEditor,
                parameters: action.parameters.map(Parameter.init), entry: TerminalText.printable(action.entryPath))
        }
    }

    /// A block of lines for each action.
    var text: String {
        actions.map { action in
            let kinds = [
                action.isEditor ? "app" : nil, action.isInteractive && !action.isEditor ? "asks" : nil,
                action.acceptsSeveralFiles ? "several files" : nil,
            ].compactMap(\.self)
            let kind = kinds.isEmpty ? "" : "  (\(kinds.joined(separator: ", ")))"
            let comment = action.comment.map { ["  \($0)"] } ?? []
            let parameters = action.parameters.map { parameter in
                let title = parameter.title == parameter.name ? "" : "  “\(parameter.title)”"
                return "  --set \(parameter.name)=…\(title)  \(parameter.range); \(parameter.default) unless given"
            }
            return (["\(action.name)  (\(action.id))\(kind)"] + comment + parameters)
                .map { TerminalText.printable($0) }.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }
}

extension ActionListing.Parameter {
    init(_ parameter: ActionParameter) {
        name = parameter.name
        title = parameter.title
        range = parameter.rangeText
        switch parameter.kind {
        case .number(let range, let unit, _): (minimum, maximum, self.unit) = (range.lowerBound, range.upperBound, unit)
        case .choice(let words, _): self.words = words
        case .flag: break
        }
        self.default = parameter.defaultValue.typed
    }
}
