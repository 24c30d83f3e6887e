// SPDX-License-Identifier: MIT

/// Numbers as people and desktop entries write them: the shortest decimal that is the number again, without ".0".
enum DecimalText {
    static func of(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e15, number == number.rounded() else { return "\(number)" }
        return "\(Int64(number))"
    }
}
