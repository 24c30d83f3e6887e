// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

extension BusClient {
    /// What a port adds by itself from now on.
    func setLatency(_ frames: Int, of id: GraphPort.ID) async throws {
        try check(latency: frames)
        let node = try localNode(id)
        node.latency.own = frames
        node.ownLatency.frames = frames
        node.publishOwnLatency()
        node.publishLatency()
        do throws(PipeWireError) {
            try await connection?.sync()
        } catch {
            throw PipeBusError(error)
        }
    }
}
