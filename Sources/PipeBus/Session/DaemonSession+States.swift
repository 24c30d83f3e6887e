// SPDX-License-Identifier: MIT
import ConnectionGraph

/// How the connections of our ports stand, for the app.
extension DaemonSession {
    func state(of port: LivePort) -> PortState {
        PortState(of: port.id, in: model.snapshot, heard: model.audible)
    }
}
