// SPDX-License-Identifier: MIT
package import PipeBus

extension LocalPort {
    /// The port in the graph, where a test knows that it is there.
    package var id: GraphPort.ID {
        guard let graphID else { preconditionFailure("\(name) is in no graph") }
        return graphID
    }
}
