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

    /// The pairs of a mix and the output device that plays it. A mono or stereo mix goes to any device: to the front left and
    /// right channels of a larger one, or else its first two; both channels of a stereo mix go to the only one of a mono
    /// device, which gets their sum. `nil` for other counts.
    ///
    /// - Parameter positions: of the device's channels, as PipeWire names them.
    package static func pairs(outputs: Int, devicePositions positions: [String?]) -> [Pair]? {
        if let pairs = pairs(outputs: outputs, inputs: positions.count) { return pairs }
        guard (1...2).contains(outputs), !positions.isEmpty else { return nil }
        guard positions.count > 1 else { return [Pair(output: 0, input: 0), Pair(output: 1, input: 0)] }
        var front = (left: 0, right: 1)
        if let left = positions.firstIndex(of: "FL"), let right = positions.firstIndex(of: "FR") {
            front = (left, right)
        }
        return [Pair(output: 0, input: front.left), Pair(output: outputs - 1, input: front.right)]
    }
}
