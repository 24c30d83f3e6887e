// SPDX-License-Identifier: MIT
import ConnectionGraph

/// An action with its parameters: a part of a chain.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct ActionStep: Sendable, Hashable {
    /// The action that does this part.
    public var action: InstalledAction
    /// The values of parameters, by their names. The others have their defaults.
    public var parameters: [String: ActionValue]

    /// A part of a chain. Values are checked when it is run.
    public init(_ action: InstalledAction, parameters: [String: ActionValue] = [:]) {
        (self.action, self.parameters) = (action, parameters)
    }

    /// The values as the action takes them.
    ///
    /// - Throws: ``ActionFailure`` `invalidValue`, also for a parameter that the action does not have.
    func checkedParameters() throws(ActionFailure) -> [String: ActionValue] {
        var values: [String: ActionValue] = [:]
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            guard let parameter = action.parameters.first(where: { $0.name == name }) else {
                let names = action.parameters.map(\.name)
                throw ActionFailure(
                    .invalidValue,
                    "\(action.name) has no parameter \"\(name.shown())\"; it has \(names.isEmpty ? "none" : names.joined(separator: ", "))."
                )
            }
            values[name] = try parameter.checked(value)
        }
        return values
    }
}
