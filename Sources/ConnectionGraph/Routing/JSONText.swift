// SPDX-License-Identifier: MIT

/// Parts of a JSON text.
enum JSONText {
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                quoted += "\\u00\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// A finite number.
    static func number(_ value: Double) -> String {
        // The shortest text that is read as the same number, without ".0".
        value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
    }

    static func object(_ members: [(key: String, value: String?)]) -> String {
        "{\(members.compactMap { key, value in value.map { "\"\(key)\": \($0)" } }.joined(separator: ", "))}"
    }
}
