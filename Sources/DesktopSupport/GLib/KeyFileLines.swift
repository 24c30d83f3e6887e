// SPDX-License-Identifier: MIT

/// The lines of a desktop entry, of which some are changed, and all others stay as they are. Pure.
///
/// A line is what GLib takes for one: it ends at a line feed, and may begin with spaces.
package struct KeyFileLines {
    private var lines: [[UInt8]]

    package init(_ text: String) {
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
    }

    package var text: String { String(decoding: Array(lines.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self) }

    package func count(of key: String, in group: String) -> Int { places(of: key, in: group).keys.count }

    package mutating func remove(_ key: String, in group: String) {
        for place in places(of: key, in: group).keys.reversed() { lines.remove(at: place) }
    }

    /// Puts a line in the place of a key, once, or behind the last line of the group.
    package mutating func set(_ key: String, in group: String, to line: [UInt8]) {
        let (keys, end) = places(of: key, in: group)
        if let first = keys.first {
            for place in keys.dropFirst().reversed() { lines.remove(at: place) }
            lines[first] = line
        } else if let end {
            lines.insert(line, at: end)
        } else {
            if lines.last == [] { lines.removeLast() }
            lines += [Array("[\(group)]".utf8), line, []]
        }
    }

    /// The lines with a key, and the line behind the first part of the group; `nil` without one.
    private func places(of key: String, in group: String) -> (keys: [Int], end: Int?) {
        var keys: [Int] = []
        var end: Int?
        var isInGroup = false
        var isInFirst = false
        for (place, line) in lines.enumerated() {
            let content = line.drop(while: Self.isSpace)
            if content.first == UInt8(ascii: "[") {
                isInGroup = content.dropFirst().prefix { $0 != UInt8(ascii: "]") }.elementsEqual(group.utf8)
                isInFirst = isInGroup && end == nil
            }
            if isInFirst, !content.isEmpty { end = place + 1 }
            if isInGroup, Self.key(of: content) == Array(key.utf8) { keys.append(place) }
        }
        return (keys, end)
    }

    private static func key(of content: ArraySlice<UInt8>) -> [UInt8]? {
        guard let equals = content.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        return Array(content[..<equals].reversed().drop(while: isSpace).reversed())
    }

    /// As GLib's `g_ascii_isspace`.
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte && byte != 0x0B }
}
