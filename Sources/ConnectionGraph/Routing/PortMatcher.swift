// SPDX-License-Identifier: MIT

/// Says which ports of a graph are meant, over restarts of apps and of the daemon: by the names of the app and of the node.
///
/// | app | node | means |
/// | --- | --- | --- |
/// | a name | a name | one port: the ``number``th of these names |
/// | a name or a pattern | none | all ports of these apps that fit the end, but no auxiliary inputs |
/// | none | a name or a pattern | all ports of these names, of any app |
/// | at least one of the two with a `*` | | all ports that fit both |
///
/// An app chooses its names. So they may choose what is connected, and must not decide what is permitted.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct PortMatcher: Sendable, Hashable, CustomStringConvertible {
    /// The highest ``number``.
    public static let highestNumber = 1024

    /// The application id, or the app's name. The daemon's own ports, which have no app, have an empty one. `nil` fits any
    /// port.
    public let app: NamePattern?
    /// `node.name`. `nil` fits any port.
    public let node: NamePattern?
    /// Which one of several ports with the same names is meant, in order of arrival, from 1. Where ``isRule`` is true it is 1, and says
    /// nothing.
    public let number: Int

    /// Ports by their names.
    ///
    /// - Throws: ``RoutingError`` with an empty place: if both names are missing or empty, or the number is out of 1…1024, or it is not 1 where
    ///   several ports are meant.
    public init(app: NamePattern? = nil, node: NamePattern? = nil, number: Int = 1) throws(RoutingError) {
        guard app != nil || node != nil else {
            throw RoutingError(at: "", "neither an app nor a node is named; name one of them at least")
        }
        guard node?.text.isEmpty != true || app?.text.isEmpty == false else {
            throw RoutingError(at: "", "the app and the node have no name; name one of them at least")
        }
        guard 1...Self.highestNumber ~= number else {
            throw RoutingError(at: "", "\(number) is no number of a port; it is 1 to \(Self.highestNumber)")
        }
        self.app = app
        self.node = node
        self.number = number
        guard number == 1 || !isRule else {
            throw RoutingError(
                at: "",
                "a number needs the names of both the app and the node, without *; leave it out to mean all ports that fit"
            )
        }
    }

    /// Ports by the texts of their names.
    ///
    /// - Parameters:
    ///   - app: as of ``NamePattern``.
    ///   - node: likewise.
    /// - Throws: ``RoutingError`` as ``init(app:node:number:)`` and ``NamePattern/init(_:)`` do.
    public init(app: String?, node: String?, number: Int = 1) throws(RoutingError) {
        let appPattern: NamePattern? = if let app { try NamePattern(app) } else { nil }
        let nodePattern: NamePattern? = if let node { try NamePattern(node) } else { nil }
        try self.init(app: appPattern, node: nodePattern, number: number)
    }

    /// Whether all ports that fit are meant, and not one by its identity.
    public var isRule: Bool { app?.name == nil || node?.name == nil }

    /// Whether a port has these names, whichever ``number`` it is.
    public func fits(_ port: GraphPort, in graph: GraphSnapshot) -> Bool {
        PortIdentity.all(of: port, in: graph).contains { fits($0) }
    }

    func fits(_ identity: PortIdentity) -> Bool {
        app?.fits(identity.app) ?? true && node?.fits(identity.node) ?? true
    }

    /// For a person: "Tone.out of org.example.tone".
    public var description: String {
        let number = number > 1 ? "no. \(self.number) of " : ""
        guard let node else { return "any port of \(Self.shown(app?.text ?? ""))" }
        guard let app else { return Self.shown(node.text) }
        return app.text.isEmpty
            ? number + Self.shown(node.text) : "\(number)\(Self.shown(node.text)) of \(Self.shown(app.text))"
    }

    /// For a line about a connection: the name that the port has in the graph where one port is meant, otherwise all of it.
    var shortName: String {
        guard app?.name != nil, let name = node?.name, !name.isEmpty else { return description }
        return name
    }

    private static func shown(_ text: String) -> String { RoutingError.shown(text) }
}
