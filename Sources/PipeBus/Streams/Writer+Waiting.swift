// SPDX-License-Identifier: MIT

extension Writer {
    /// Writes 32-bit floats, and waits for room.
    ///
    /// - Parameters:
    ///   - samples: whole frames of all channels, in the format's order.
    ///   - time: when the first of them was made, for live sound; now by default.
    /// - Throws: ``PipeBusError`` `closed` if the port is closed, `CancellationError` if the task is cancelled.
    /// - Realtime: unsafe.
    public mutating func write(_ samples: [Float], madeAt time: MonotonicTime = .now) async throws {
        let isFloat = input.isFloat
        precondition(isFloat, "the format has other samples; write their bytes")
        try await write(all: samples, samplesPerFrame: channelCount, madeAt: time)
    }

    /// Writes samples of any format, as bytes, and waits for room.
    ///
    /// - Parameters:
    ///   - bytes: whole frames of all channels, in the format's order.
    ///   - time: when the first of them was made, for live sound; now by default.
    /// - Throws: ``PipeBusError`` `closed` if the port is closed, `CancellationError` if the task is cancelled.
    /// - Realtime: unsafe.
    public mutating func write(_ bytes: [UInt8], madeAt time: MonotonicTime = .now) async throws {
        try await write(all: bytes, samplesPerFrame: input.bytesPerFrame, madeAt: time)
    }

    private mutating func write<Element: BitwiseCopyable>(
        all elements: [Element], samplesPerFrame: Int, madeAt time: MonotonicTime
    ) async throws {
        precondition(elements.count % samplesPerFrame == 0, "a write takes whole frames")
        let count = elements.count / samplesPerFrame
        var written = 0
        while written < count {
            let start = later(time, by: written)
            // Of planar samples the others are not in one piece.
            written += unsafe elements.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                return unsafe tryWrite(base, count, from: written, madeAt: start)
            }
            if written < count { try await waitForRoom() }
        }
    }

    /// The time some frames after another one.
    private func later(_ time: MonotonicTime, by frames: Int) -> MonotonicTime {
        let rate = format.sampleRate ?? graphRate
        guard frames > 0, rate > 0 else { return time }
        return MonotonicTime(nanoseconds: time.nanoseconds &+ UInt64(frames) &* 1_000_000_000 / UInt64(rate))
    }
}
