// SPDX-License-Identifier: MIT

// The same names as in `AudioCycle`, which a process block reads: these properties are for all other threads.

extension SenderPort {
    /// Whether the port has a destination.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/isConnected``.
    public var isConnected: Bool { handle.status.value.has(.isConnected) }
    /// Whether every channel has a link.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/isFullyConnected``.
    public var isFullyConnected: Bool { handle.status.value.has(.isFullyConnected) }
    /// Whether the port's sound comes back to its app; see ``PortState/isConnectedToSelf``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/isConnectedToSelf``.
    public var isConnectedToSelf: Bool { handle.status.value.has(.isConnectedToSelf) }
    /// Whether the port's sound is played downstream, so that the app should mute its own output of it. See
    /// ``PortState/shouldMuteLocalOutput``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/shouldMuteLocalOutput``.
    public var shouldMuteLocalOutput: Bool { handle.status.value.has(.shouldMuteLocalOutput) }
}

extension FilterPort {
    /// Whether the port has a connection, on either side.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/isConnected``.
    public var isConnected: Bool { handle.status.value.has(.isConnected) }
    /// Whether every output channel has a link.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/isFullyConnected``.
    public var isFullyConnected: Bool { handle.status.value.has(.isFullyConnected) }
    /// Whether the port's sound comes back to its app, or its input came from there; see
    /// ``PortState/isConnectedToSelf``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/isConnectedToSelf``.
    public var isConnectedToSelf: Bool { handle.status.value.has(.isConnectedToSelf) }
    /// Whether the port's sound is played downstream, so that the app should mute its own output of it. See
    /// ``PortState/shouldMuteLocalOutput``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/shouldMuteLocalOutput``.
    public var shouldMuteLocalOutput: Bool { handle.status.value.has(.shouldMuteLocalOutput) }
}

// Without `shouldMuteLocalOutput`, which is about sound that others play: a receiver's sound goes into its app alone.
extension ReceiverPort {
    /// Whether the port has a source.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/isConnected``.
    public var isConnected: Bool { handle.status.value.has(.isConnected) }
    /// Whether the port's input came from its app; see ``PortState/isConnectedToSelf``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/isConnectedToSelf``.
    public var isConnectedToSelf: Bool { handle.status.value.has(.isConnectedToSelf) }
}
