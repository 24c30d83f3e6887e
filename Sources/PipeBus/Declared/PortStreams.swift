// SPDX-License-Identifier: MIT

/// The sequences that an app may read of one of its ports.
final class PortStreams: Sendable {
    let states = Broadcaster<PortState>()
    /// Only of a receiver.
    let sources = Broadcaster<[Source]>()

    func finish() {
        states.finish()
        sources.finish()
    }
}
