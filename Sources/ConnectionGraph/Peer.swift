// SPDX-License-Identifier: MIT

/// An app in the graph, this one included: the owner of ports.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct Peer: Sendable, Hashable, Identifiable {
    /// The identity of a peer while it exists. It is never used again for another peer.
    public struct ID: Sendable, Hashable, Comparable {
        /// PipeWire's `object.serial` of the client.
        public let serial: UInt64

        package init(serial: UInt64) { self.serial = serial }

        public static func < (left: Self, right: Self) -> Bool { left.serial < right.serial }
    }

    public let id: ID
    /// The app's own name. An app chooses it freely, so it is for people, not for decisions.
    public let name: String
    /// The reverse-DNS id that the app gave, which is also the name of its desktop entry.
    public let applicationID: String?
    /// The app's icon in the icon theme.
    public let iconName: String?
    /// The process, as the daemon saw it at the socket; apps cannot forge it. Apps that use PulseAudio emulation all
    /// have the emulation's.
    public let processID: Int32?
    /// The app's own process; `nil` if it is not known.
    package var ownProcessID: Int32? { isEmulated ? nil : processID }
    /// Whether the app uses PulseAudio emulation. Then ``processID`` says nothing about it.
    let isEmulated: Bool

    package init(
        id: ID, name: String, applicationID: String?, iconName: String?, processID: Int32?, isEmulated: Bool = false
    ) {
        self.id = id
        self.name = name
        self.applicationID = applicationID
        self.iconName = iconName
        self.processID = processID
        self.isEmulated = isEmulated
    }
}
