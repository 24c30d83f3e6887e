// SPDX-License-Identifier: MIT
import CPipeWireShims
import CRealtime
package import RealtimeKit

extension FilterNode {
    /// What the audio thread calls ahead of a node's own call.
    @safe package struct BeforeCall {
        let words: crt_call

        /// Whoever hands it over keeps alive what it points into.
        package init(_ call: RealtimeCall, context: UnsafeMutableRawPointer) {
            unsafe words = unsafe call.words(core: context)
        }
    }

    /// Adds a port that carries nothing to a node that may be running. The audio thread is held for the moment: without
    /// that it might read the list of ports while libpipewire writes it.
    package func addOrderPort(_ port: PortSpec) throws(PipeWireError) {
        guard let filter = unsafe filter else { throw .closed }
        unsafe try connection.calls.addOrderPort(
            filter, isInput: port.isInput, properties: port.properties, runningOn: connection.liveCore())
    }

    /// Whether the audio thread of both nodes is the same one.
    package func sharesThread(with other: FilterNode) -> Bool {
        guard let mine = unsafe filter, let theirs = unsafe other.filter else { return true }
        return unsafe pbpw_filter_shares_thread(mine, theirs)
    }
}
