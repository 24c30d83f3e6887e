// SPDX-License-Identifier: MIT
import Synchronization

extension Parameter where Value: BinaryFloatingPoint {
    /// An end that follows every change of the value on a straight line.
    ///
    /// - Parameter duration: of each change, clamped to 0…60 seconds. A change in the middle of another one takes as long
    ///   again, from where that was.
    public func makeReader(rampedOver duration: Duration) -> RampedReader {
        RampedReader(self, seconds: min(max(duration / .seconds(1), 0), 60), frames: -1)
    }

    /// An end that follows every change of the value on a straight line.
    ///
    /// - Parameter frames: of each change, clamped to 0…10 000 000.
    public func makeReader(rampedOverFrames frames: Int) -> RampedReader {
        RampedReader(self, seconds: 0, frames: min(max(frames, 0), 10_000_000))
    }

    /// Reads a ``Parameter`` of numbers on the audio thread, and ramps its changes.
    ///
    /// - Thread: one at a time.
    /// - Realtime: safe.
    @safe public struct RampedReader: ~Copyable, @unchecked Sendable {
        // @unchecked: as of ``Parameter/Reader``.
        @usableFromInline let source: Reader
        @usableFromInline let seconds: Double
        /// -1 if the duration counts.
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

        /// The values for the next frames. Once a cycle, also if they are for several channels.
        ///
        /// A value that is not a number, or infinite, is ignored.
        ///
        /// - Parameters:
        ///   - frameCount: of the cycle.
        ///   - sampleRate: in hertz; of no account if the length was given in frames.
        // Inlined in debug builds too: a generic function cannot run on the audio thread before it is specialised.
        @inlinable
        @inline(always)
        public mutating func ramp(frameCount: Int, sampleRate: Int) -> Ramp<Value> {
            let newest = source.value
            if newest != target, newest.isFinite {
                origin = offset < length ? origin + step * Value(offset) : target
                target = newest
                offset = 0
                // Both are bounded, so the product fits.
                let rate = Double(min(max(sampleRate, 1), 10_000_000))
                length = frames >= 0 ? frames : Int(seconds * rate)
                step = (target - origin) / Value(max(length, 1))
                // A difference too large for a number is a jump.
                if !step.isFinite { length = 0 }
            }
            let ramp = Ramp(from: origin, step: step, to: target, offset: offset, length: length)
            offset = min(offset &+ max(frameCount, 0), length)
            return ramp
        }
    }
}
