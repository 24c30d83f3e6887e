// SPDX-License-Identifier: MIT

/// The names of types as Swift writes them.
///
/// - Thread: any.
enum TypeName {
    /// The name of any type, also of a noncopyable one, such as "(Swift.Int) -> Swift.Float".
    static func of<T: ~Copyable>(_ type: T.Type) -> String {
        // Only the metatype's form changes: values of it are not touched.
        unsafe String(reflecting: unsafeBitCast(type, to: Any.Type.self))
    }

    /// Whether it is the name of a function, or of a tuple or optional with one. One within another generic type does not count.
    static func hasFunction(_ name: String) -> Bool {
        // What the opened brackets belong to.
        var opened: [Substring] = []
        var word = name.startIndex
        var last: Character = " "
        for (index, character) in zip(name.indices, name) {
            switch character {
            case "<", "[": opened.append(name[word..<index])
            case ">" where last == "-":
                if opened.allSatisfy({ $0 == "Swift.Optional" }) { return true }
            case ">", "]": _ = opened.popLast()
            default: break
            }
            if !character.isLetter, !character.isNumber, character != ".", character != "_" {
                word = name.index(after: index)
            }
            last = character
        }
        return false
    }
}
