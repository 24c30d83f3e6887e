// SPDX-License-Identifier: MIT
import PipeWireClient

/// A connection beside the client's own, for a request to another app.
///
/// The daemon stops serving it while that app is suspended.
protocol SideConnection: AnyObject {
    /// Ends every wait over the connection with an error. Idempotent.
    func close()
}

extension PipeWireConnection: SideConnection {}
