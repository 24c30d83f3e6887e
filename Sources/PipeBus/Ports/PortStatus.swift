// SPDX-License-Identifier: MIT

/// The state of a port's connections for the audio thread, in one word.
struct PortStatus: OptionSet, Sendable, Hashable {
    var rawValue: UInt32

    @_noLocks
    @inline(__always)
    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The block of the sender or filter is to be called: the port has a destination, or keeps running without one.
    static var runs: Self { @_noLocks @inline(__always) get { Self(rawValue: 1) } }
    /// The port has a connection, on either side.
    static var isConnected: Self { @_noLocks @inline(__always) get { Self(rawValue: 2) } }
    /// The port is connected to its own app, as far as is known.
    static var isConnectedToSelf: Self { @_noLocks @inline(__always) get { Self(rawValue: 4) } }
    /// The port's sound is played downstream, so the app should mute its own output of it.
    static var shouldMuteLocalOutput: Self { @_noLocks @inline(__always) get { Self(rawValue: 8) } }

    /// The filter is bypassed, or a crossfade to or from the bypass is running: `PortCore.bypass` is set.
    static var isBypassing: Self { @_noLocks @inline(__always) get { Self(rawValue: 16) } }

    /// A bypass of the filter is requested, by its app or another one.
    static var isBypassed: Self { @_noLocks @inline(__always) get { Self(rawValue: 32) } }

    /// Every output has a link.
    static var isFullyConnected: Self { @_noLocks @inline(__always) get { Self(rawValue: 64) } }

    /// An xrun was less than a second ago.
    static var isRecovering: Self { @_noLocks @inline(__always) get { Self(rawValue: 128) } }

    /// Sources of the filter's input are being exchanged: `PortCore.tap` is set.
    static var isTapping: Self { @_noLocks @inline(__always) get { Self(rawValue: 256) } }

    /// The same status, recovering from an xrun.
    var recovering: Self { @_noLocks @inline(__always) get { Self(rawValue: rawValue | Self.isRecovering.rawValue) } }

    /// Whether a filter's block is called without fades, bypass and exchange of sources.
    var isPlain: Bool {
        @_noLocks @inline(__always) get { rawValue & 273 == 1 }
    }

    /// Written out, because the set algebra of the standard library is generic and not for the audio thread.
    @_noLocks
    @inline(__always)
    func has(_ other: Self) -> Bool { rawValue & other.rawValue != 0 }
}
