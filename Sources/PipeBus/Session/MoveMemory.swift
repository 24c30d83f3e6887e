// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Forgets that sources were moved to other lanes when they have not been connected for a while. Confined to the loop.
///
/// A program that makes a link again because it was moved does so soon, and is not fought. A person who connects a source anew
/// gets a lane for it as the first time.
final class MoveMemory {
    private struct Departure: Hashable {
        let source: UInt64
        let port: GraphPort.ID
    }

    private static let duration: Duration = .seconds(1)

    private let connection: SessionConnection
    private let ports: PortTable
    /// When the sources that had been moved lost their last link. Each is checked when its time is over.
    private var departures: [Departure: ContinuousClock.Instant] = [:]

    init(on connection: SessionConnection, _ ports: PortTable) {
        self.connection = connection
        self.ports = ports
    }

    /// To be called after a link of a source was removed from a port.
    func linkRemoved(from source: UInt64, at port: LivePort) {
        guard port.links.hasLeft(source) else { return }
        let departure = Departure(source: source, port: port.id)
        if departures.updateValue(.now, forKey: departure) == nil { look(at: departure, after: Self.duration) }
    }

    private func look(at departure: Departure, after delay: Duration) {
        connection.after(delay) { [weak self] in self?.look(at: departure) }
    }

    private func look(at departure: Departure) {
        guard let time = departures[departure], let port = ports[departure.port], port.links.hasLeft(departure.source)
        else {
            departures[departure] = nil
            return
        }
        let left = Self.duration - time.duration(to: .now)
        if left > .zero { return look(at: departure, after: left) }
        departures[departure] = nil
        port.links.forgetMoves(of: departure.source)
    }
}
