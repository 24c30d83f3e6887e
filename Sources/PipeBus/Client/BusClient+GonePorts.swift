// SPDX-License-Identifier: MIT
import ConnectionGraph

extension BusClient {
    /// Performs a call with designated ports. If one of them has gone, the error names it, where a ``GraphPort`` has its name.
    func naming<Result: Sendable>(
        _ designators: [any PortDesignator & Sendable], _ call: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await call()
        } catch let error as PipeBusError where error == PipeBusError(.unknownPort, PortFinder.gone()) {
            let ports = designators.compactMap { $0 as? GraphPort }
            guard let port = ports.first(where: { graph.port($0.id) == nil }) else { throw error }
            throw PipeBusError(.unknownPort, PortFinder.gone(port.nodeName))
        }
    }
}
