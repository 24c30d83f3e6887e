// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Checks of names. Names end up in other tools. So they are short, on one line, and without the characters at which
/// those tools split names.
package enum Names {
    static let longestName = 128

    package static func check(appID id: String) throws {
        guard AppID.isValid(id) else {
            throw PipeBusError(
                .invalidArgument,
                "\"\(shown(id))\" is no application id; it must look like org.example.app, of at most \(AppID.longest) bytes."
            )
        }
    }

    /// Checks an app's or a port's name.
    package static func check(name: String, of thing: String) throws {
        try check(text: name, what: "The name of \(thing)")
        // Not by Character: one with a combining mark is another Character, but contains the same byte for other tools.
        guard !name.utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }) else {
            throw PipeBusError(
                .invalidArgument,
                "The name of \(thing) may not contain : or /, which separate names in PipeWire's tools; leave them out."
            )
        }
    }

    /// Checks a text that is only shown.
    package static func check(text: String, what: String) throws {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw PipeBusError(.invalidArgument, "\(what) may not be empty; give one that can be seen.")
        }
        guard text.utf8.count <= longestName else {
            throw PipeBusError(
                .invalidArgument, "\(what) has \(text.utf8.count) bytes; shorten it to \(longestName).")
        }
        guard text.unicodeScalars.allSatisfy(\.isPrintable) else {
            throw PipeBusError(
                .invalidArgument,
                "\(what) contains control characters or marks that turn the direction of text; use printable ones only."
            )
        }
    }

    /// A typed text, made fit to be shown in an error.
    package static func shown(_ text: String) -> String { shown(text, atMost: 64) }

    /// Another program's words, made fit to be shown in an error.
    ///
    /// - Parameter limit: the most characters.
    package static func shown(_ text: String, atMost limit: Int) -> String {
        text.shown(atMost: limit)
    }

    /// A list of ports for an error or a question: each in quotation marks, by its unique name, and the number of
    /// further ports.
    static func listed(_ ports: [GraphPort], in graph: GraphSnapshot) -> String {
        var names: [String] = []
        var length = 0
        for unique in ports.map({ graph.uniqueName(of: $0) }).naturallySorted(by: { $0 }).prefix(12) {
            let name = quoted(unique)
            length += name.count
            // A list that is cut would end in half a name.
            guard names.isEmpty || length <= 300 else { break }
            names.append(name)
        }
        let others = ports.count - names.count
        return names.joined(separator: ", ") + (others > 0 ? " … and \(others) more" : "")
    }

    /// A name in quotation marks; in single ones if it has double ones itself. A shell reads both as the name.
    static func quoted(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"\(name)\"" }
        let parts = name.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'\(parts.map { String(Substring($0)) }.joined(separator: "'\\''"))'"
    }
}

extension GraphPort {
    /// The name shown to people, bounded: another process chose it.
    var shownTitle: String { Names.shown(title) }
}
