// SPDX-License-Identifier: MIT
import ConnectionGraph

extension PipeBusError {
    init(_ fault: ChangeFault) {
        switch fault {
        case .notConnected(let source, let destination):
            self.init(.notConnected, MissingConnection.message(from: source, to: destination))
        case .noPassage(let port):
            self.init(.invalidArgument, "\(Self.noPassage(port)); name a filter in its place.")
        case .channelMismatch(let source, let destination):
            self.init(
                .channelMismatch,
                "\(source.shownTitle) gives \(Self.channels(source.connectableOutputs.count)) and \(destination.shownTitle) takes "
                    + "\(Self.channels(destination.laneWidth)), and an insertion connects all channels; disconnect the old two, and "
                    + "connect the filter on both sides with channels that you name or mix down.")
        case .brokenPath(let port):
            let name = port.shownTitle
            self.init(
                .invalidArgument,
                port.inputs.isEmpty
                    ? "\(name) only gives sound, so a path can only begin there; make two paths: one to a port of its app "
                        + "that takes sound, and one from \(name) on."
                    : "\(name) only takes sound, so a path ends there; make two paths: one up to \(name), and one from the "
                        + "port that its app sends from.")
        case .samePort(let port):
            self.init(.invalidArgument, "\(port.shownTitle) is named twice; name another port.")
        case .notBetween(let port):
            self.init(
                .notConnected,
                "\(port.shownTitle) is not between two ports: it needs a source and a destination to be taken out.")
        case .tooShort: self.init(.invalidArgument, "A path has at least two ports.")
        case .sharedPipeline:
            self.init(
                .notSupported,
                "All connections of this pipeline are parts of other pipelines too; disconnect two of its ports instead."
            )
        case .missingPipeline: self.init(.notConnected, "This pipeline is not in the graph any more.")
        }
    }

    private static func channels(_ count: Int) -> String { count == 1 ? "1 channel" : "\(count) channels" }

    /// The reason why a port cannot stand between two others, without the end of the sentence.
    static func noPassage(_ port: GraphPort) -> String {
        "No sound can pass \(port.shownTitle), which needs both inputs and outputs for that"
    }
}
