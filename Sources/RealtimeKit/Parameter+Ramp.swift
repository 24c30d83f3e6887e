// SPDX-License-Identifier: MIT
import Synchronization

extension Parameter where Value: BinaryFloatingPoint {
    /// Creates an end that ramps every change of the value linearly.
    ///
    /// - Parameter duration: length of each ramp, clamped to 0…60 seconds. A change during a ramp starts a new one of
    ///   the same length from the present value.
    public func makeReader(rampedOver duration: Duration) -> RampedReader {
        RampedReader(self, seconds: min(max(duration / .seconds(1), 0), 60), frames: -1)
    }

    /// Creates an end that ramps every change of the value linearly.
    ///
    /// - Parameter frames: length of each ramp in frames, clamped to 0…10 000 000.
    public func makeReader(rampedOverFrames frames: Int) -> RampedReader {
        RampedReader(self, seconds: 0, frames: min(max(frames, 0), 10_000_000))
    }

    /// Reads a ``Parameter`` of numbers on the audio thread, and ramps its changes.
    ///
    /// - Thread: any, one at a time.
    /// - Realtime: safe.
    @safe public struct RampedReader: ~Copyable, @unchecked Sendable {
        // @unchecked: as ``Parameter/Reader``.
        @usableFromInline let source: Reader
        @usableFromInline let seconds: Double
        /// The length in frames; -1 if the duration counts.
        @usableFromInline let frames: Int
        @usableFromInline var origin: Value
        @usableFromInline var step: Value = 0
        @usableFromInline var target: Value
        @usableFromInline var offset = 0
        @usableFromInline var length = 0

        init(_ owner: Parameter, seconds: Double, frames: Int) {
            source = owner.makeReader()
            self.seconds = seconds
            self.frames = frames
            let value = owner.value
            target = value.isFinite ? value : 0
            origin = target
        }

        /// The values for the next frames. Call it once a cycle, even where they are used for several channels.
        ///
        /// A NaN or infinite value of the parameter is ignored.
        ///
        /// - Parameters:
        ///   - frameCount: number of frames in the cycle.
        ///   - sampleRate: in hertz; unused if the length was given in frames.
        // Inlined in debug builds too: a generic function cannot run on the audio thread before it is specialised.
        @inlinable
        @inline(always)
        public mutating func ramp(frameCount: Int, sampleRate: Int) -> Ramp<Value> {
            let newest = source.value
            if newest != target, newest.isFinite {
                origin = offset < length ? origin + step * Value(offset) : target
                target = newest
                offset = 0
                // Both are clamped, so the product fits.
                let rate = Double(min(max(sampleRate, 1), 10_000_000))
                length = frames >= 0 ? frames : Int(seconds * rate)
                step = (target - origin) / Value(max(length, 1))
                // A difference that is not finite is a jump.
                if !step.isFinite { length = 0 }
            }
            let ramp = Ramp(from: origin, step: step, to: target, offset: offset, length: length)
            offset = min(offset &+ max(frameCount, 0), length)
            return ramp
        }
    }
}
