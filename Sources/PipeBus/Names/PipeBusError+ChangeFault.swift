// SPDX-License-Identifier: MIT
import ConnectionGraph

extension PipeBusError {
    init(_ fault: ChangeFault) {
        switch fault {
        case .notConnected(let source, let destination):
            self.init(.notConnected, MissingConnection.message(from: source, to: destination))
        case .noPassage(let port):
            self.init(
                .invalidArgument, "No sound can pass \(port.shownTitle), which needs both inputs and outputs for that.")
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
}
