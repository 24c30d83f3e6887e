// SPDX-License-Identifier: MIT

/// Making and checking a signal a whole cycle at a time, on the audio thread.
///
/// The annotations also make the loops fast in a debug build: half an hour of audio passes through them in a test run.
extension TestSignal {
    /// Fills one channel, beginning with frame number `frame` of the signal. Shapes for the control side only give
    /// silence.
    ///
    /// - Realtime: safe.
    @_noLocks
    package func fill(_ samples: inout MutableSpan<Float>, from frame: UInt64, channel: Int) {
        unsafe samples.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            let frames = buffer.count
            switch shape {
            case .counting:
                var count = count(frame: frame, channel: channel)
                // Not `for`: in a debug build a range's iterator costs more than all the rest.
                var index = 0
                while index < frames {
                    unsafe base[index] = gain * Float(count)
                    count = (count &+ 1) & (modulus &- 1)
                    index += 1
                }
            case .constant: unsafe base.update(repeating: gain, count: frames)
            case .impulse, .ramp, .sine, .noise: unsafe base.update(repeating: 0, count: frames)
            }
        }
    }

    /// The index of the first sample that differs from the signal, beginning with its frame number `frame`; `nil` if
    /// none does.
    ///
    /// - Realtime: safe.
    @_noLocks
    package func firstDifference(in samples: Span<Float>, from start: Int = 0, frame: UInt64, channel: Int) -> Int? {
        unsafe samples.withUnsafeBufferPointer { buffer -> Int? in
            guard let base = buffer.baseAddress else { return nil }
            let frames = buffer.count
            var count = count(frame: frame &+ UInt64(truncatingIfNeeded: start), channel: channel)
            let isConstant = if case .constant = shape { true } else { false }
            var index = start
            while index < frames {
                let expected = isConstant ? gain : gain * Float(count)
                // Bit for bit, except for the sign of zero, which a sum of opposites may have either way.
                guard unsafe base[index] == expected else { return index }
                count = (count &+ 1) & (modulus &- 1)
                index += 1
            }
            return nil
        }
    }

    /// One sample of a shape that the audio thread can make.
    ///
    /// - Realtime: safe.
    @_noLocks
    package func value(_ frame: UInt64, channel: Int) -> Float {
        switch shape {
        case .counting: gain * Float(count(frame: frame, channel: channel))
        case .constant: gain
        case .impulse, .ramp, .sine, .noise: 0
        }
    }

    /// The frame of a counting signal for a sample of channel 0, modulo `modulus`; `nil` if there is none.
    ///
    /// - Realtime: safe.
    @_noLocks
    package func frame(of sample: Float) -> UInt32? {
        let count = sample / gain
        guard count >= 0, count < Float(modulus), count == Float(UInt32(count)) else { return nil }
        return (UInt32(count) &- 1) & (modulus &- 1)
    }
}
