// SPDX-License-Identifier: MIT

/// The cost of the calls of one function, from a callgrind dump.
struct CallgrindProfile {
    private(set) var calls = 0
    /// Instructions of all the calls, with everything they call.
    private(set) var instructions = 0

    /// The dump's own totals are not used: they count the calls that zeroing and dumping cut, and these lines do not.
    init(_ text: String, of function: String) {
        // A name comes with a number the first time and is that number after it: `cfn=(12) name`, later `cfn=(12)`.
        // Then `calls=COUNT TARGET`, and in the line after it `POSITION INSTRUCTIONS`.
        var number: Substring?
        var callee: Substring?
        var isCost = false
        for line in text.split(separator: "\n") {
            let words = line.drop { $0 != "=" }.dropFirst().split(separator: " ", maxSplits: 1)
            if isCost {
                instructions += line.split(separator: " ").last.flatMap { Int($0) } ?? 0
                isCost = false
            } else if line.hasPrefix("fn=") || line.hasPrefix("cfn=") {
                if words.count == 2, words[1] == function { number = words[0] }
                if line.hasPrefix("cfn=") { callee = words.first }
            } else if line.hasPrefix("calls="), callee != nil, callee == number {
                calls += words.first.flatMap { Int($0) } ?? 0
                isCost = true
            }
        }
    }

    var instructionsPerCall: Double { (Double(instructions) / Double(calls)).rounded() }
}
