// SPDX-License-Identifier: MIT

/// The value of an action's parameter.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum ActionValue: Sendable, Hashable, Codable, CustomStringConvertible {
    case number(Double)
    case text(String)
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
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(booleanLiteral value: Bool) { self = .flag(value) }
}
