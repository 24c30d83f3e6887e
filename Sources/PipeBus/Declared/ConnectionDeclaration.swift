// SPDX-License-Identifier: MIT
import ConnectionGraph

/// A connection that the app made, by what its ends are called over time.
struct ConnectionDeclaration: Hashable, Sendable {
    enum End: Hashable, Sendable {
        /// A port of the app, by its name.
        case own(String)
        /// Any other port. The names are the app's choice, so two ports may share them.
        case other(applicationID: String?, nodeName: String)
    }

    var source: End
    var destination: End
}
