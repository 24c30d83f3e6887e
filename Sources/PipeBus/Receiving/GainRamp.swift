// SPDX-License-Identifier: MIT

/// The gains of one lane in the mix. They change only with a mix level.
struct LaneGains {
    var left = GainRamp()
    var right = GainRamp()

    @_noLocks
    init() {}

    var areAtRest: Bool { @_noLocks @inline(__always) get { left.isAtRest && right.isAtRest } }
}

/// A gain that changes linearly from one value to another.
struct GainRamp {
    private(set) var start: Float
    private(set) var end: Float
    private(set) var position = 0
    /// In frames; 0 at rest.
    private(set) var length = 0

    @_noLocks
    init(_ gain: Float = 1) {
        start = gain
        end = gain
    }

    /// Sets a value at once.
    @_noLocks
    @inline(__always)
    mutating func jump(to gain: Float) {
        start = gain
        end = gain
        length = 0
    }

    /// Starts a ramp from the present value to another one. Idempotent.
    @_noLocks
    @inline(__always)
    mutating func ramp(to gain: Float, length newLength: Int) {
        if gain == end { return }
        start = value
        end = gain
        position = 0
        length = newLength
    }

    /// The value at the next frame, as the mix computes it.
    private var value: Float {
        @_noLocks @inline(__always) get {
            if length == 0 { return end }
            let rest = Float(length - position)
            return (start * rest + end * Float(position)) / Float(length)
        }
    }

    var isSilent: Bool {
        @_noLocks @inline(__always) get { length == 0 && end == 0 }
    }

    var isAtRest: Bool {
        @_noLocks @inline(__always) get { length == 0 }
    }

    @_noLocks
    @inline(__always)
    mutating func advance(by frameCount: Int) {
        if length == 0 { return }
        position += frameCount
        if position >= length { jump(to: end) }
    }
}
