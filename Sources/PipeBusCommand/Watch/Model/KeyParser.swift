// SPDX-License-Identifier: MIT

/// Turns the bytes of a terminal into keys. Pure.
///
/// A sequence that is not complete waits for its rest. Unknown sequences, bytes that are no UTF-8 and control characters are dropped.
struct KeyParser {
    /// The longest sequence that is waited for. No key has a longer one.
    private static let longest = 16

    private var waiting: [UInt8] = []

    /// - Parameter bytes: what has come since the last call; nothing if nothing has. Then a lone escape is the key of that name.
    mutating func keys(from bytes: [UInt8]) -> [WatchKey] {
        if bytes.isEmpty {
            defer { waiting = [] }
            return waiting == [0x1B] ? [.escape] : []
        }
        var rest = (waiting + bytes)[...]
        waiting = []
        var keys: [WatchKey] = []
        while let first = rest.first {
            guard let length = Self.length(of: rest) else {
                if rest.count < Self.longest { waiting = Array(rest) }
                break
            }
            let sequence = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            if let key = first == 0x1B ? Self.escaped(sequence) : Self.plain(sequence) { keys.append(key) }
        }
        return keys
    }

    /// The number of bytes of the first key; `nil` if it is not complete.
    private static func length(of bytes: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(bytes.prefix(longest))
        guard bytes[0] == 0x1B else {
            let length =
                switch bytes[0] {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                default: 1
                }
            // A byte that cannot go on ends the character.
            let end = bytes.dropFirst().prefix(length - 1).firstIndex { $0 & 0xC0 != 0x80 }
            return end ?? (bytes.count >= length ? length : nil)
        }
        guard bytes.count > 1 else { return nil }
        switch bytes[1] {
        case UInt8(ascii: "["):
            // Parameters, and a final byte.
            guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
            return end + 1
        case UInt8(ascii: "O"): return bytes.count > 2 ? 3 : nil
        // The escape key before another one.
        default: return 1
        }
    }

    private static func escaped(_ sequence: [UInt8]) -> WatchKey? {
        guard sequence.count > 1 else { return .escape }
        return switch String(decoding: sequence.dropFirst(), as: UTF8.self) {
        case "[A", "OA": .up
        case "[B", "OB": .down
        case "[C", "OC": .right
        case "[D", "OD": .left
        case "[H", "OH", "[1~", "[7~": .home
        case "[F", "OF", "[4~", "[8~": .end
        case "[5~": .pageUp
        case "[6~": .pageDown
        case "[Z": .backTab
        default: nil
        }
    }

    private static func plain(_ sequence: [UInt8]) -> WatchKey? {
        switch sequence[0] {
        case 0x09: return .tab
        case 0x0A, 0x0D: return .enter
        case 0x08, 0x7F: return .backspace
        case 0x0C: return .repaint
        case 0x1A: return .suspend
        case 0x00..<0x20: return nil
        default:
            guard let text = String(validating: sequence, as: UTF8.self), let character = text.first else { return nil }
            // Marks that change the direction of text, and the like.
            guard !character.unicodeScalars.contains(where: { $0.properties.generalCategory == .format }),
                !character.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { return nil }
            return .character(character)
        }
    }
}
