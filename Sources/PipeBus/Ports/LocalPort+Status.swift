// SPDX-License-Identifier: MIT

// The same words as in `AudioCycle`, which a process block reads: these are for all other threads.

extension SenderPort {
    /// Something takes what it gives.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block asks ``AudioCycle/isConnected``.
    public var isConnected: Bool { handle.status.value.has(.isConnected) }
    /// Every channel has a link.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block asks ``AudioCycle/isFullyConnected``.
    public var isFullyConnected: Bool { handle.status.value.has(.isFullyConnected) }
    /// What it gives comes back to its app; see ``PortState/isConnectedToSelf``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block asks ``AudioCycle/isConnectedToSelf``.
    public var isConnectedToSelf: Bool { handle.status.value.has(.isConnectedToSelf) }
    /// Somebody else plays the port's sound, so the app should mute its own output of it. See
    /// ``PortState/shouldMuteLocalOutput``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block asks ``AudioCycle/shouldMuteLocalOutput``.
    public var shouldMuteLocalOutput: Bool { handle.status.value.has(.shouldMuteLocalOutput) }
}

extension FilterPort {
    /// Something is connected, on either side.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block asks ``AudioCycle/isConnected``.
    public var isConnected: Bool { handle.status.value.has(.isConnected) }
    /// Every output channel has a link.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block asks ``AudioCycle/isFullyConnected``.
    public var isFullyConnected: Bool { handle.status.value.has(.isFullyConnected) }
    /// What it gives comes back to its app, or what it takes came from there; see ``PortState/isConnectedToSelf``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block asks ``AudioCycle/isConnectedToSelf``.
    public var isConnectedToSelf: Bool { handle.status.value.has(.isConnectedToSelf) }
    /// Somebody else plays the port's sound, so the app should mute its own output of it. See
    /// ``PortState/shouldMuteLocalOutput``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block asks ``AudioCycle/shouldMuteLocalOutput``.
    public var shouldMuteLocalOutput: Bool { handle.status.value.has(.shouldMuteLocalOutput) }
}

// Without `shouldMuteLocalOutput`: it is about sound that others play, and a receiver's sound goes nowhere but into its app.
extension ReceiverPort {
    /// Something is connected.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block asks ``AudioCycle/isConnected``.
    public var isConnected: Bool { handle.status.value.has(.isConnected) }
    /// What it takes came from its app; see ``PortState/isConnectedToSelf``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block asks ``AudioCycle/isConnectedToSelf``.
    public var isConnectedToSelf: Bool { handle.status.value.has(.isConnectedToSelf) }
}
