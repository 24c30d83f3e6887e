// SPDX-License-Identifier: MIT
import Synchronization

/// The broadcasters behind the sequences of one port.
final class PortStreams: Sendable {
    let states = Broadcaster<PortState>()
    /// Of a receiver only. A reader that is busy gets each of so many, so that it misses no source that comes and goes meanwhile.
    private let sources = Broadcaster<[Source]>(capacity: 64)
    /// What was sent last, while there are readers.
    private let lastSources = Mutex<[Source]?>(nil)

    /// Sends the sources of a receiver to its readers, if they have changed.
    ///
    /// - Parameter find: called if there are readers.
    func sendSources(_ find: () -> [Source]?) {
        guard sources.hasReaders else { return lastSources.withLock { $0 = nil } }
        guard let found = find() else { return }
        let hasChanged = lastSources.withLock { last in
            defer { last = found }
            return last.map { !Source.Changes(from: $0, to: found).isEmpty } ?? true
        }
        if hasChanged { sources.send(found) }
    }

    /// - Parameter present: the sources that the sequence begins with.
    func subscribeToSources(_ present: [Source]) -> AsyncStream<[Source]> { sources.subscribe(first: [present]) }

    func finish() {
        states.finish()
        sources.finish()
    }
}
