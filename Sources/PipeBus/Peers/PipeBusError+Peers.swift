// SPDX-License-Identifier: MIT

extension PipeBusError {
    /// The error of a call for a peer that was in the graph: a peer is one run of an app, in one life of the daemon.
    static let appIsGone = PipeBusError(
        .unknownApp,
        "The app is not in the graph any more; look for it there by its application id: it may have come again.")
}
