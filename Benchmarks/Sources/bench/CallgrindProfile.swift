// SPDX-License-Identifier: MIT

/// The cost of the calls of one function, from a callgrind dump.
struct CallgrindProfile {
    private(set) var calls = 0
    /// Instructions of all the calls, with everything they call but for what is left out.
    private(set) var instructions = 0

    /// The dump's own totals are not used: they count the calls that zeroing and dumping cut, and these lines do not.
    ///
    /// - Parameter excluded: a function that the other one calls as often as the machine's speed has it.
    init(_ text: String, of function: String, without excluded: String) {
        // A name comes with a number the first time and is that number after it: `cfn=(12) name`, later `cfn=(12)`.
        // Then `calls=COUNT TARGET`, and in the line after it `POSITION INSTRUCTIONS`.
        var numbers: [String: Substring] = [:]
        var callee: Substring?
        var called: String?
        for line in text.split(separator: "\n") {
            let words = line.drop { $0 != "=" }.dropFirst().split(separator: " ", maxSplits: 1)
            if let function = called {
                let cost = line.split(separator: " ").last.flatMap { Int($0) } ?? 0
                instructions += function == excluded ? -cost : cost
                called = nil
            } else if line.hasPrefix("fn=") || line.hasPrefix("cfn=") {
                if words.count == 2 { numbers[String(words[1])] = words[0] }
                if line.hasPrefix("cfn=") { callee = words.first }
            } else if line.hasPrefix("calls="), let callee {
                called = [function, excluded].first { numbers[$0] == callee }
                if called == function { calls += words.first.flatMap { Int($0) } ?? 0 }
            }
        }
    }

    var instructionsPerCall: Double { (Double(instructions) / Double(calls)).rounded() }
}
