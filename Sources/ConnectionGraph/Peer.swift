// SPDX-License-Identifier: MIT

/// Another app in the graph, or this one: whoever owns ports.
///
/// - Thread: any. A value.
public struct Peer: Sendable, Hashable, Identifiable {
    /// Names a peer for as long as it is there; never used again for another one.
    public struct ID: Sendable, Hashable, Comparable {
        /// PipeWire's `object.serial` of the client.
        public let serial: UInt64

        package init(serial: UInt64) { self.serial = serial }

        public static func < (left: Self, right: Self) -> Bool { left.serial < right.serial }
    }

    public let id: ID
    /// What the app calls itself. An app chooses it freely, so it is for people, not for decisions.
    public let name: String
    /// The reverse-DNS id the app gave, which is also the name of its desktop entry.
    public let applicationID: String?
    /// The app's icon in the icon theme.
    public let iconName: String?
    /// The process, as the daemon saw it at the socket; apps cannot forge it. Those that come through PulseAudio
    /// emulation all share the emulation's.
    public let processID: Int32?
    /// It comes through PulseAudio emulation, so ``processID`` says nothing about it.
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
