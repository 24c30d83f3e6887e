// SPDX-License-Identifier: MIT
import PipeWireClient
import Synchronization

/// A reader's view of what another app shares. Confined to the loop.
protocol PeerWatch: AnyObject {
    /// Forgets objects that are gone, and follows those that there are now.
    ///
    /// - Parameter canBind: whether the side connection knows of all of them. The daemon refuses to bind an object to a client that it has
    ///   not told of it.
    /// - Returns: whether the app is in the graph still.
    func update(canBind: Bool) -> Bool
    /// Ends the reader's sequence, and closes what is bound. Idempotent.
    func close()
}

/// The views of readers, each over a side connection: an app that hangs holds up that alone. Confined to the loop.
final class PeerWatches<Watch: PeerWatch> {
    private let connection: SessionConnection
    private let requests: PeerRequests
    private var watches: [Int: (watch: Watch, side: PipeWireConnection)] = [:]
    private var isUpdateDue = false

    init(on connection: SessionConnection, _ requests: PeerRequests) {
        self.connection = connection
        self.requests = requests
    }

    /// Begins a view.
    ///
    /// - Returns: the view, and the number to end it with.
    /// - Throws: ``PipeBusError`` `timedOut`, `connectionLost`, `closed`.
    func begin(_ make: (PipeWireConnection) -> Watch) async throws -> (watch: Watch, number: Int) {
        let side: PipeWireConnection
        do throws(PipeWireError) {
            side = try requests.makeKeptConnection()
        } catch {
            throw PipeBusError(error)
        }
        do throws(PipeWireError) {
            try await side.open(timeout: .seconds(2))
        } catch {
            requests.release(side)
            throw PipeBusError(error)
        }
        let watch = make(side)
        let number = PeerWatchNumber.next()
        watches[number] = (watch, side)
        side.onFailure = { [weak self] _ in self?.connection.later { self?.end(number) } }
        update()
        return (watch, number)
    }

    /// Brings the views up to date in a job: an object must not be destroyed inside PipeWire's callback.
    func graphChanged() {
        guard !watches.isEmpty, !isUpdateDue else { return }
        isUpdateDue = true
        connection.later { [weak self] in self?.update() }
    }

    private func update() {
        isUpdateDue = false
        for (number, (watch, side)) in watches {
            guard watch.update(canBind: false) else {
                end(number)
                continue
            }
            try? side.afterRoundTrip { [weak self] in self?.connection.later { self?.bind(number) } }
        }
    }

    private func bind(_ number: Int) {
        if let (watch, _) = watches[number], !watch.update(canBind: true) { end(number) }
    }

    /// Idempotent.
    func end(_ number: Int) {
        guard let (watch, side) = watches.removeValue(forKey: number) else { return }
        watch.close()
        requests.release(side)
    }

    func close() { for number in Array(watches.keys) { end(number) } }
}

/// Numbers of views, counted over all sessions: the end of a reader may come in a later one.
private enum PeerWatchNumber {
    private static let counter = Atomic<Int>(0)

    static func next() -> Int { counter.add(1, ordering: .relaxed).newValue }
}
