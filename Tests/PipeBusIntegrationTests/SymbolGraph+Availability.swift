// SPDX-License-Identifier: MIT

extension SymbolGraph {
    /// An `@available` attribute of a symbol. The graph leaves unavailable symbols out.
    struct Availability: Decodable {
        struct Version: Decodable {
            let major: Int
            let minor: Int?
            let patch: Int?

            var text: String { [major, minor, patch].compactMap { $0.map(String.init) }.joined(separator: ".") }
        }

        let domain: String?
        let introduced: Version?
        let deprecated: Version?
        let obsoleted: Version?
        let isUnconditionallyDeprecated: Bool?
        let message: String?
        let renamed: String?

        var text: String {
            let words = [
                domain ?? "*",
                introduced.map { "introduced: \($0.text)" },
                isUnconditionallyDeprecated == true ? "deprecated" : deprecated.map { "deprecated: \($0.text)" },
                obsoleted.map { "obsoleted: \($0.text)" },
                message.map { "message: \(quoted($0))" },
                renamed.map { "renamed: \(quoted($0))" },
            ]
            return "@available(\(words.compactMap(\.self).joined(separator: ", ")))"
        }

        /// On one line, as each declaration of the list is.
        private func quoted(_ text: String) -> String {
            "\"\(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))\""
        }
    }
}
