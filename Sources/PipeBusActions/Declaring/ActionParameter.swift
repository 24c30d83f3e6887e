// SPDX-License-Identifier: MIT
import ConnectionGraph

/// A setting of an action: an option of its command line, and a control in the app that runs it.
///
/// ```swift
/// .number("target", title: "Loudness", in: -70 ... 0, unit: "LUFS", default: -16)
/// ```
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct ActionParameter: Sendable, Hashable, Codable {
    /// What a parameter can be.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public enum Kind: Sendable, Hashable, Codable {
        /// A number in a range.
        ///
        /// - Parameter unit: as people write it, such as "dB"; empty for a number alone.
        case number(range: ClosedRange<Double>, unit: String, default: Double)
        /// One of some words.
        case choice([String], default: String)
        /// Yes or no.
        case flag(default: Bool)
    }

    /// The name in programs and on the command line: 1 to 32 ASCII letters, digits and dashes, the first of them a letter.
    public let name: String
    /// The name shown to people.
    public let title: String
    /// What it can be.
    public let kind: Kind

    /// Declares a number.
    public static func number(
        _ name: String, title: String? = nil, in range: ClosedRange<Double>, unit: String = "", default value: Double
    ) -> ActionParameter {
        ActionParameter(name: name, title: title ?? name, kind: .number(range: range, unit: unit, default: value))
    }

    /// Declares a choice.
    public static func choice(
        _ name: String, title: String? = nil, of words: [String], default word: String
    ) -> ActionParameter {
        ActionParameter(name: name, title: title ?? name, kind: .choice(words, default: word))
    }

    /// Declares a yes or no.
    public static func flag(_ name: String, title: String? = nil, default value: Bool = false) -> ActionParameter {
        ActionParameter(name: name, title: title ?? name, kind: .flag(default: value))
    }

    /// The value of an action that is not told another one.
    public var defaultValue: ActionValue {
        switch kind {
        case .number(_, _, let value): .number(value)
        case .choice(_, let word): .text(word)
        case .flag(let value): .flag(value)
        }
    }

    var isFlag: Bool { if case .flag = kind { true } else { false } }

    /// The range in words, for people: "-70 to 0 LUFS".
    public var rangeText: String {
        switch kind {
        case .number(let range, let unit, _):
            "\(DecimalText.of(range.lowerBound)) to \(DecimalText.of(range.upperBound))\(unit.isEmpty ? "" : " " + unit)"
        case .choice(let words, _): words.count == 1 ? words[0] : "one of " + words.joined(separator: ", ")
        case .flag: "true or false"
        }
    }

    // MARK: Checks

    /// The names that are options of every action.
    private static let taken: Set = [
        "help", "install", "uninstall", "beside", "force", "version", "pipebus-service", "help-all",
    ]

    /// Whether the parameter can be declared: by an action, or in an entry that any program may have written.
    var isValid: Bool { fault == nil }

    /// Why the parameter cannot be declared, as the rest of a sentence; `nil` if it can be.
    var fault: String? {
        guard Self.isName(name) else {
            return "has a name that no option can have; use 1 to 32 letters, digits and dashes, with a letter first"
        }
        guard !Self.taken.contains(name.lowercased()), !name.lowercased().hasPrefix("no-") else {
            return "has the name of an option of all actions, or begins with \"no-\"; give it another one"
        }
        guard ActionText.isShown(title) else {
            return "has a title that is empty, longer than 128 bytes, or not printable; give it another one"
        }
        switch kind {
        case .number(let range, let unit, let value):
            guard range.lowerBound.isFinite, range.upperBound.isFinite else {
                return "has a range without an end; give it finite bounds"
            }
            guard range.contains(value) else { return "has a default out of its range; give it one of \(rangeText)" }
            guard unit.isEmpty || ActionText.isShown(unit) && ActionText.isField(unit) else {
                return "has a unit with a colon, or one that cannot be shown; give it another one"
            }
        case .choice(let words, let word):
            guard (1...64).contains(words.count), Set(words).count == words.count,
                words.allSatisfy({ ActionText.isShown($0) && ActionText.isField($0) && !$0.utf8.contains(0x2C) })
            else { return "has words that are equal, have a comma or a colon, or are none or more than 64; mend them" }
            guard words.contains(word) else { return "has a default that is none of its words; give it one of them" }
        case .flag: break
        }
        return nil
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (0x61...0x7A).contains(first | 0x20), name.utf8.count <= 32 else {
            return false
        }
        return name.utf8.allSatisfy {
            (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
        }
    }

    /// A value that somebody has given, as the parameter takes it.
    ///
    /// - Throws: ``ActionFailure`` `invalidValue`.
    func checked(_ value: ActionValue) throws(ActionFailure) -> ActionValue {
        switch (kind, value) {
        case (.number(let range, _, _), .number(let number)) where range.contains(number): return value
        case (.choice(let words, _), .text(let word)) where words.contains(word): return value
        case (.flag, .flag): return value
        default:
            throw ActionFailure(
                .invalidValue, "\"\(name)\" takes \(rangeText), not \(value.description.shown()).")
        }
    }

    /// The value that a person has typed: a number, one of the words, "true" or "false".
    ///
    /// - Throws: ``ActionFailure`` `invalidValue`.
    public func value(typed text: String) throws(ActionFailure) -> ActionValue {
        let value: ActionValue =
            switch kind {
            case .number: Double(text).map { .number($0) } ?? .text(text)
            case .choice: .text(text)
            case .flag: ["true": .flag(true), "false": .flag(false)][text.lowercased()] ?? .text(text)
            }
        return try checked(value)
    }
}
