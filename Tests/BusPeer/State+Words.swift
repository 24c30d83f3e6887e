// SPDX-License-Identifier: MIT
import PipeBus

extension BusClient.State {
    /// The state, and the kind of its reason: `interrupted daemonGone`.
    var words: String {
        switch self {
        case .connecting: "connecting"
        case .running: "running"
        case .interrupted(let reason): "interrupted \(reason.kind.rawValue)"
        case .closed(let reason): "closed \(reason.kind.rawValue)"
        }
    }
}
