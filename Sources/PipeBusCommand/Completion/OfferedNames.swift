// SPDX-License-Identifier: MIT
import PipeBus

/// The names that are offered for what is typed. Pure.
enum OfferedNames {
    /// The most names that are offered. Nobody reads more.
    private static let most = 500

    /// - Parameter forms: the names in each form, the one that people see first. Later forms are for those who go on typing.
    /// - Returns: those of the first form that has any that begin so, in any case.
    static func beginning(_ text: String, in forms: [[String]]) -> [String] {
        let lowered = text.lowercased()
        for names in forms {
            var seen: Set<String> = []
            let fitting = names.filter {
                (text.isEmpty || $0.lowercased().hasPrefix(lowered)) && seen.insert($0).inserted
            }
            if !fitting.isEmpty { return Array(fitting.naturallySorted { $0 }.prefix(most)) }
        }
        return []
    }
}
