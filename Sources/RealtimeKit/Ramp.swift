// SPDX-License-Identifier: MIT

/// The values of a parameter for the frames of one cycle: on a line to its newest value, or constant.
///
/// - Thread: any. A value.
/// - Realtime: safe.
public struct Ramp<Value: BinaryFloatingPoint & BitwiseCopyable & Sendable>: BitwiseCopyable, Sendable {
    @usableFromInline let origin: Value
    @usableFromInline let step: Value
    /// The last value of the ramp, reached exactly.
    public let target: Value
    /// Number of frames of the ramp before this cycle.
    @usableFromInline let offset: Int
    @usableFromInline let length: Int

    @inlinable
    @inline(always)
    init(from origin: Value, step: Value, to target: Value, offset: Int, length: Int) {
        self.origin = origin
        self.step = step
        self.target = target
        self.offset = offset
        self.length = length
    }

    /// Whether the values of the cycle differ.
    public var isMoving: Bool {
        @inlinable
        @inline(always)
        get { offset < length }
    }

    /// The value for a frame of the cycle, 0 or more.
    public subscript(frame: Int) -> Value {
        @inlinable
        @inline(always)
        get {
            // The first frame is one step along the ramp.
            frame < length - offset - 1 ? origin + step * Value(offset &+ frame &+ 1) : target
        }
    }
}
