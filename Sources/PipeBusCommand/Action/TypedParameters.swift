// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusActions
import ToolSupport

/// Values of parameters as a person gives them. Pure.
enum TypedParameters {
    /// The values of each action: "target=-14" is for each that has such a parameter, "2.target=-14" for the second one alone, and
    /// "Normalise.target=-14" for those whose name begins so.
    ///
    /// - Throws: ``ToolFailure`` for a value that no action takes.
    static func values(_ texts: [String], of actions: [InstalledAction]) throws -> [[String: ActionValue]] {
        var values = [[String: ActionValue]](repeating: [:], count: actions.count)
        for text in texts {
            let scalars = text.unicodeScalars
            let equals = scalars.firstIndex(of: "=")
            let name = equals.map { String(scalars[..<$0]) } ?? text
            let value = equals.map { String(scalars[scalars.index(after: $0)...]) }
            var isTaken = false
            for (place, action) in actions.enumerated() {
                guard let parameter = parameter(name, of: action, at: place) else { continue }
                // A flag is set by its name alone.
                guard value != nil || parameter.defaultValue == .flag(false) || parameter.defaultValue == .flag(true)
                else { throw ToolFailure("\(text.quoted) sets nothing; write it as name=value.") }
                guard values[place][parameter.name] == nil else {
                    throw ToolFailure(
                        "\(action.name) gets \(parameter.name.quoted) twice; write \"1.\(parameter.name)=…\" and \"2.\(parameter.name)=…\" for the first and the second action."
                    )
                }
                do {
                    values[place][parameter.name] = try parameter.value(typed: value ?? "true")
                } catch { throw ToolFailure("\(action.name): \(error.message)") }
                isTaken = true
            }
            guard isTaken else { throw unknown(name, of: actions) }
        }
        return values
    }

    private static func parameter(_ typed: String, of action: InstalledAction, at place: Int) -> ActionParameter? {
        if let own = action.parameters.first(where: { $0.name == typed }) { return own }
        guard let dot = typed.unicodeScalars.lastIndex(of: ".") else { return nil }
        let (owner, name) = (String(typed.unicodeScalars[..<dot]), String(typed.unicodeScalars[dot...].dropFirst()))
        guard owner == "\(place + 1)" || TypedName(owner).fits(anyOf: [action.name, action.id], .beginning) else {
            return nil
        }
        return action.parameters.first { $0.name == name }
    }

    private static func unknown(_ name: String, of actions: [InstalledAction]) -> ToolFailure {
        let names = actions.flatMap { $0.parameters.map(\.name) }
        let near = EditDistance.nearest(to: name, among: names).map { "is \($0.quoted) meant? " } ?? ""
        let owner = actions.count == 1 ? actions[0].name : "No action of the chain"
        return ToolFailure(
            actions.count == 1
                ? "\(owner) has no parameter \(name.quoted); \(near)\(names.isEmpty ? "it has none." : "it has \(names.joined(separator: ", ")).")"
                : "\(owner) has a parameter \(name.quoted); \(near)\"pipebus action list\" shows those that there are.")
    }
}
