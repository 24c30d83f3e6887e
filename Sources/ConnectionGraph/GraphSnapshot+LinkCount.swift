// SPDX-License-Identifier: MIT

extension GraphSnapshot {
    /// The number of a connection's links, each pair of channels once, and of those that it should have.
    ///
    /// A person who takes away one of two channels, or a program that fails half-way, leaves a part of them.
    ///
    /// - Returns: `expected` is `nil` where the numbers of channels do not go together, so that nobody can tell.
    package func linkCount(of connection: Connection) -> (present: Int, expected: Int?) {
        guard connection.medium == .audio else {
            return (Set(connection.links.map { [$0.output, $0.input] }).count, nil)
        }
        // A receiver's lanes have the same channels, and a source may be on two of them.
        let width = port(connection.destination)?.laneWidth ?? 0
        let pairs = connection.links.map { [$0.output, width > 0 ? $0.input % width : $0.input] }
        let outputs = port(connection.source)?.outputs.count ?? 0
        return (Set(pairs).count, Self.expectedLinkCount(outputs: outputs, inputs: width))
    }

    /// The rule of `connect`: as many inputs as outputs, or mono on both channels of stereo.
    package static func expectedLinkCount(outputs: Int, inputs: Int) -> Int? {
        guard outputs > 0, outputs == inputs || (outputs, inputs) == (1, 2) else { return nil }
        return inputs
    }
}
