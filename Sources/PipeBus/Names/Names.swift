// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Checks of what people call things. Names end up in other people's tools, so they are short, on one line, and
/// without the characters that those tools split names at.
enum Names {
    static let longestName = 128
    static let longestID = 255

    static func check(appID id: String) throws {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        let isFine =
            id.utf8.count <= longestID && parts.count >= 2
            && parts.allSatisfy { part in
                guard let first = part.utf8.first, !isDigit(first) else { return false }
                return part.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2D || $0 == 0x5F }
            }
        guard isFine else {
            throw PipeBusError(
                .invalidArgument,
                "\"\(shown(id))\" is no application id; it must look like org.example.app, of at most \(longestID) bytes."
            )
        }
    }

    /// An app's or a port's name.
    static func check(name: String, of thing: String) throws {
        try check(text: name, what: "The name of \(thing)")
        // Not by Character: one with a combining mark behind it is another Character, but the same byte to other tools.
        guard !name.utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }) else {
            throw PipeBusError(
                .invalidArgument,
                "The name of \(thing) may not contain : or /, which separate names in PipeWire's tools.")
        }
    }

    /// A text that is only shown.
    static func check(text: String, what: String) throws {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw PipeBusError(.invalidArgument, "\(what) may not be empty.")
        }
        guard text.utf8.count <= longestName else {
            throw PipeBusError(
                .invalidArgument, "\(what) has \(text.utf8.count) bytes; at most \(longestName) are allowed.")
        }
        guard text.unicodeScalars.allSatisfy(\.isPrintable) else {
            throw PipeBusError(
                .invalidArgument,
                "\(what) contains control characters or marks that turn the direction of text; use printable ones only."
            )
        }
    }

    /// What somebody typed, fit to be shown in an error.
    static func shown(_ text: String) -> String {
        // By scalars: a Character can be as long as it likes.
        let scalars = text.unicodeScalars.prefix(128)
        let isCut = scalars.count < text.unicodeScalars.count
        let cleaned = String(scalars).printable
        return cleaned.count > 64 ? cleaned.prefix(64) + "…" : isCut ? cleaned + "…" : cleaned
    }

    /// Those that an error or a question lists: each in quotation marks, by a name that finds exactly that port, and how many
    /// there are beside them.
    static func listed(_ ports: [GraphPort], in graph: GraphSnapshot) -> String {
        var names: [String] = []
        var length = 0
        for port in ports.prefix(12) {
            let name = "\"\(graph.uniqueName(of: port))\""
            length += name.count
            // A sentence that is cut would end in half a name.
            guard names.isEmpty || length <= 300 else { break }
            names.append(name)
        }
        let others = ports.count - names.count
        return names.joined(separator: ", ") + (others > 0 ? " … and \(others) more" : "")
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension GraphPort {
    /// What people see of it, bounded: another process chose it.
    var shownTitle: String { Names.shown(title) }
}
