// SPDX-License-Identifier: MIT
import PipeBus

extension [Peer] {
    /// The name of an app that has several clients: each of their names once.
    var names: String {
        var seen: Set<String> = []
        return map(\.name).filter { seen.insert($0).inserted }.joined(separator: " + ")
    }
}
