// SPDX-License-Identifier: MIT

/// The channel pairs of a connection.
package enum ChannelMatching {
    package struct Pair: Sendable, Hashable {
        package let output: Int
        package let input: Int

        package init(output: Int, input: Int) {
            self.output = output
            self.input = input
        }
    }

    /// N to N are paired one to one; a mono output is paired with both channels of a stereo input. `nil` for other
    /// counts.
    package static func pairs(outputs: Int, inputs: Int) -> [Pair]? {
        guard outputs > 0, inputs > 0 else { return nil }
        if outputs == inputs { return (0..<inputs).map { Pair(output: $0, input: $0) } }
        if outputs == 1, inputs == 2 { return [Pair(output: 0, input: 0), Pair(output: 0, input: 1)] }
        return nil
    }
}
