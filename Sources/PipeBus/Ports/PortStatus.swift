// SPDX-License-Identifier: MIT

/// What the audio thread knows of a port's connections, in one word.
struct PortStatus: OptionSet, Sendable, Hashable {
    var rawValue: UInt32

    @_noLocks
    @inline(__always)
    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Somebody takes what the port gives.
    static var hasDestination: Self { @_noLocks @inline(__always) get { Self(rawValue: 1) } }
    /// Something is connected, on either side.
    static var isConnected: Self { @_noLocks @inline(__always) get { Self(rawValue: 2) } }
    /// The other end is of the same app, as far as is known.
    static var isConnectedToSelf: Self { @_noLocks @inline(__always) get { Self(rawValue: 4) } }
    /// Somebody plays the port's sound, so the app should not.
    static var shouldMuteLocalOutput: Self { @_noLocks @inline(__always) get { Self(rawValue: 8) } }

    /// The filter is bypassed, or on its way there or back: `PortCore.bypass` is set.
    static var isBypassing: Self { @_noLocks @inline(__always) get { Self(rawValue: 16) } }

    /// The app, or somebody else, wants the filter bypassed.
    static var isBypassed: Self { @_noLocks @inline(__always) get { Self(rawValue: 32) } }

    /// Every output has a link.
    static var isFullyConnected: Self { @_noLocks @inline(__always) get { Self(rawValue: 64) } }

    /// A filter's block is called, and nothing else is to be done.
    var isPlain: Bool {
        @_noLocks @inline(__always) get { rawValue & 17 == 1 }
    }

    /// Set algebra of the standard library is generic, and not for the audio thread.
    @_noLocks
    @inline(__always)
    func has(_ other: Self) -> Bool { rawValue & other.rawValue != 0 }
}
