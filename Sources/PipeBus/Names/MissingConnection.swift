// SPDX-License-Identifier: MIT
import ConnectionGraph

/// What is said of two ports that are not connected.
enum MissingConnection {
    static func message(from source: GraphPort, to destination: GraphPort) -> String {
        guard destination.stalledSources.contains(source.id) else {
            return "\(source.shownTitle) is not connected to \(destination.shownTitle)."
        }
        return
            "\(source.shownTitle) does not answer, and is disconnected from \(destination.shownTitle) until it does; its app may be "
            + "stopped."
    }
}
