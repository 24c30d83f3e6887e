// SPDX-License-Identifier: MIT

/// The value of an action's parameter.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum ActionValue: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The value of a number.
    case number(Double)
    /// The word of a choice.
    case text(String)
    /// The value of a flag.
    case flag(Bool)

    /// The value as a person types it.
    public var typed: String { if case .text(let text) = self { text } else { description } }

    public var description: String {
        switch self {
        case .number(let number): DecimalText.of(number)
        case .text(let text): "\"\(text)\""
        case .flag(let flag): "\(flag)"
        }
    }
}

extension ActionValue: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral
{
    /// A number, such as `-3.5`.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A number, such as `-23`.
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    /// The word of a choice.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A flag.
    public init(booleanLiteral value: Bool) { self = .flag(value) }
}
