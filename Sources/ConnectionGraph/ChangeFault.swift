// SPDX-License-Identifier: MIT

/// The reason why a change of a graph cannot be planned.
package enum ChangeFault: Error, Hashable {
    case notConnected(source: GraphPort, destination: GraphPort)
    /// The port has no inputs or no outputs, so that no sound can lead through it.
    case noPassage(GraphPort)
    /// A filter is to be inserted between ports with which its numbers of channels do not go together.
    case channelMismatch(source: GraphPort, destination: GraphPort)
    /// A port in the middle of a path that only gives or only takes sound.
    case brokenPath(GraphPort)
    /// A filter is to stand between itself and another port.
    case samePort(GraphPort)
    /// The filter has no source, or no destination.
    case notBetween(GraphPort)
    /// A pipeline of one port, or fewer than two ports.
    case tooShort
    /// All connections of a pipeline are parts of other ones too.
    case sharedPipeline
    /// A pipeline that is not in the graph any more.
    case missingPipeline
}
