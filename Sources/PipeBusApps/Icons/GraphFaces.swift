// SPDX-License-Identifier: MIT
public import PipeBus

/// The pictures of the apps and ports of a graph: those that they publish, or else those that they name in the icon theme.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct GraphFaces: Sendable {
    /// The pictures of apps; without those that have none.
    public internal(set) var apps: [Peer.ID: IconImage] = [:]
    /// The pictures of ports that have one of their own, beside that of their app.
    public internal(set) var ports: [GraphPort.ID: IconImage] = [:]
    /// A sentence for each published picture that was left out: it is not what it says, or its app does not answer.
    public internal(set) var failures: [String] = []

    /// No pictures.
    public init() {}
}

extension BusClient {
    /// The pictures of the apps and ports of a graph.
    ///
    /// All apps are asked at once, and each no longer than it answers in time. Pictures beyond 16 MiB in all are left out, largest first.
    ///
    /// - Parameters:
    ///   - theme: where names of icons are looked up.
    ///   - size: the width and height at which the pictures are shown, in points.
    ///   - timeout: time limit for each answer of an app, as for ``publishedIcon(of:port:timeout:)``.
    public nonisolated func faces(
        in graph: GraphSnapshot, theme: IconTheme, size: Int = 48, timeout: Duration = .seconds(2)
    ) async -> GraphFaces {
        var faces = GraphFaces()
        faces.addNamed(in: graph, theme, size: size)
        let peers = graph.peers.prefix(PublishedFaces.mostPeers)
        let published = await withTaskGroup { group in
            for peer in peers {
                group.addTask { await PublishedFaces.read(of: peer, in: graph, from: self, timeout: timeout) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        faces.add(published.sorted { $0.peer < $1.peer })
        return faces
    }
}

extension GraphFaces {
    /// The most names of icons that are looked up: any app may have any number of ports.
    private static let mostNames = 256
    /// The most bytes of pictures of the theme, and of those that are published.
    private static let largestSum = 16 << 20

    /// Adds the icons of the theme.
    fileprivate mutating func addNamed(in graph: GraphSnapshot, _ theme: IconTheme, size: Int) {
        var found: [String: IconImage?] = [:]
        var left = Self.largestSum
        func image(_ name: String?) -> IconImage? {
            guard let name else { return nil }
            if let known = found[name] { return known }
            guard found.count < Self.mostNames else { return nil }
            var image = theme.image(named: name, size: size)
            if let size = image?.bytes.count, size > left {
                failures.append("The icon “\(name)” is left out: there are more than 16 MiB of them.")
                image = nil
            }
            left -= image?.bytes.count ?? 0
            found[name] = .some(image)
            return image
        }
        for peer in graph.peers { apps[peer.id] = image(peer.iconName) }
        for port in graph.ports where port.iconName != graph.peer(of: port)?.iconName {
            ports[port.id] = image(port.iconName)
        }
    }

    /// Adds published pictures, in place of those of the theme.
    fileprivate mutating func add(_ published: [PublishedFaces]) {
        failures += published.flatMap(\.failures)
        var left = Self.largestSum
        for (place, picture) in published.flatMap(\.pictures).sorted(by: {
            $0.picture.bytes.count < $1.picture.bytes.count
        }) {
            guard picture.bytes.count <= left else {
                failures.append(
                    "A picture of \(picture.bytes.count) bytes is left out: there are more than 16 MiB of them.")
                continue
            }
            left -= picture.bytes.count
            switch place {
            case .app(let id): apps[id] = IconImage(picture)
            case .port(let id): ports[id] = IconImage(picture)
            }
        }
    }
}
