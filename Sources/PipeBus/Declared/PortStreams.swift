// SPDX-License-Identifier: MIT

/// The broadcasters behind the sequences of one port.
final class PortStreams: Sendable {
    let states = Broadcaster<PortState>()
    /// Of a receiver only.
    let sources = Broadcaster<[Source]>()

    func finish() {
        states.finish()
        sources.finish()
    }
}
