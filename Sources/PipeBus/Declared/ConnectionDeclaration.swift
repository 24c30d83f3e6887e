// SPDX-License-Identifier: MIT
import ConnectionGraph

/// A connection that the app made, by the names of its ends, which survive a restart of the daemon.
struct ConnectionDeclaration: Hashable, Sendable {
    enum End: Hashable, Sendable {
        /// A port of the app, by its name.
        case own(String)
        /// Any other port. Apps choose these names, so two ports may have the same ones. The id is `nil` if it was not
        /// known when the connection was made.
        case other(applicationID: String?, nodeName: String)

        /// The name of another app's node; `nil` for a port of the app.
        var nodeName: String? {
            if case .other(_, let nodeName) = self { nodeName } else { nil }
        }

        /// The id of an app may be unknown at one of two times.
        func hasSameName(as other: End) -> Bool {
            switch (self, other) {
            case (.own(let name), .own(let otherName)): name == otherName
            case (.other(_, let name), .other(_, let otherName)): name == otherName
            default: false
            }
        }
    }

    var source: End
    var destination: End
    /// The channels that go together. Not part of what tells connections apart: two ports are connected in one way.
    var pairing = ChannelPairing.matching

    static func == (left: Self, right: Self) -> Bool {
        left.source == right.source && left.destination == right.destination
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        hasher.combine(destination)
    }

    func hasSameNames(as other: ConnectionDeclaration) -> Bool {
        source.hasSameName(as: other.source) && destination.hasSameName(as: other.destination)
    }

    func hasEnd(_ end: End) -> Bool { source == end || destination == end }

    /// The name of the app's port; of the source if both are the app's.
    var ownName: String? {
        for case .own(let name) in [source, destination] { return name }
        return nil
    }
}

extension ConnectionDeclaration.End {
    /// Whether a designation that was given while there is no graph means this end.
    ///
    /// - Parameters:
    ///   - app: the name of the app itself.
    ///   - standard: the port that the app's name alone means.
    func matches(_ designation: PortDesignation, app: String, standard: String?) -> Bool {
        guard case .name(let name) = designation else { return false }
        switch self {
        case .own(let port):
            return name == "\(app).\(port)" || name == "\(app)/\(port)" || name == port
                || name == app && port == standard
        case .other(let applicationID, let nodeName):
            return name == nodeName || name == applicationID || nodeName.hasPrefix("\(name).")
        }
    }
}
