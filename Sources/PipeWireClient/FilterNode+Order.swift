// SPDX-License-Identifier: MIT
import CPipeWireShims
import CRealtime
package import RealtimeKit

extension FilterNode {
    /// A call that the audio thread makes before a node's own call.
    @safe package struct BeforeCall {
        let words: crt_call

        /// The caller keeps alive whatever the call points to.
        package init(_ call: RealtimeCall, context: UnsafeMutableRawPointer) {
            unsafe words = unsafe call.words(core: context)
        }
    }

    /// Adds a port without data to a node that may be running.
    ///
    /// The audio thread is held for the moment. Otherwise it might read the list of ports while libpipewire writes it.
    package func addOrderPort(_ port: PortSpec) throws(PipeWireError) {
        guard let filter = unsafe filter else { throw .closed }
        unsafe try connection.calls.addOrderPort(
            filter, isInput: port.isInput, properties: port.properties, runningOn: connection.liveCore())
    }

    /// The audio thread that processes the node, once it is connected. 0 if the library has only one.
    package var threadID: UInt {
        guard let filter = unsafe filter else { return 0 }
        return unsafe UInt(bitPattern: pbpw_filter_thread(filter))
    }

    /// Whether one audio thread processes both nodes.
    package func sharesThread(with other: FilterNode) -> Bool {
        guard let mine = unsafe filter, let theirs = unsafe other.filter else { return true }
        return unsafe pbpw_filter_shares_thread(mine, theirs)
    }
}
