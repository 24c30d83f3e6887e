// SPDX-License-Identifier: MIT
import PipeBus

/// The pictures that one app publishes for itself and its ports.
struct PublishedFaces: Sendable {
    enum Place: Sendable { case app(Peer.ID), port(GraphPort.ID) }

    let peer: Peer.ID
    var pictures: [(place: Place, picture: PNGImage)] = []
    var failures: [String] = []

    /// The most apps that are asked.
    static let mostPeers = 256
    /// The most pictures of one app.
    private static let mostPictures = 65

    /// Reads them, up to the first that the app does not answer for in time.
    static func read(
        of peer: Peer, in graph: GraphSnapshot, from bus: BusClient, timeout: Duration
    ) async -> PublishedFaces {
        var faces = PublishedFaces(peer: peer.id)
        // Without a question to the app: most publish none.
        guard let keys = try? await Set(bus.publishedKeys(of: peer.id)), !keys.isEmpty else { return faces }
        let ports = graph.ports(of: peer.id).filter(\.isPipeBus).map {
            (place: Place.port($0.id), name: $0.name as String?)
        }
        let wanted = ([(place: Place.app(peer.id), name: nil)] + ports).filter {
            (try? IconKey.key(ofPort: $0.name)).map(keys.contains) == true
        }
        for (place, name) in wanted.prefix(mostPictures) {
            do {
                guard let picture = try await bus.publishedIcon(of: peer.id, port: name, timeout: timeout) else {
                    continue
                }
                faces.pictures.append((place, picture))
            } catch let error as PipeBusError {
                let owner = name.map { "\(peer.name).\($0)" } ?? peer.name
                // The app, or the connection, has gone meanwhile.
                if error.code != .unknownApp, error.code != .connectionLost, error.code != .closed {
                    faces.failures.append(
                        "The picture of “\(TerminalText.printable(owner))” is left out. \(error.message)")
                }
                if error.code != .notSupported { return faces }
            } catch { return faces }
        }
        return faces
    }
}
