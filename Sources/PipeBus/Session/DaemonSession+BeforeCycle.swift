// SPDX-License-Identifier: MIT
import PipeWireClient

extension DaemonSession {
    /// The loop of libpipewire's that processes the nodes, by the name that it has unless somebody configured others. Older
    /// versions than 1.2 have one and know no such property.
    static let dataLoop = "data-loop.0"

    /// All of the app's nodes must be processed by one thread: the block that runs before each cycle, and what it hands to the
    /// ports' blocks, has no other protection, since the audio thread may not lock. On versions before 1.2 a context has
    /// one data loop; later ones have one unless configured otherwise, and are asked for the same one for each node.
    func checkThread(of node: FilterNode) throws {
        guard declared.beforeCycle != nil, let first = ports.first, !first.node.sharesThread(with: node) else { return }
        throw PipeBusError(
            .incompatible,
            "PipeWire is configured to process this app's ports by several threads, which a block before each cycle "
                + "does not allow; remove context.data-loops from client.conf.")
    }
}
