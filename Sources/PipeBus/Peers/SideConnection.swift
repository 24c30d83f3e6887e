// SPDX-License-Identifier: MIT
import PipeWireClient

/// A connection beside the client's own, over which something is asked of another app. That app may stand still, and the
/// daemon serves the connection no more then.
protocol SideConnection: AnyObject {
    /// Ends every wait for an answer over it, with an error. Idempotent.
    func close()
}

extension PipeWireConnection: SideConnection {}
