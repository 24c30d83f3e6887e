// SPDX-License-Identifier: MIT
import CFuzz

@testable import PipeWireClient

/// Parameters that other processes set on a node: requests, and latencies of linked ports.
func fuzzParams(_ input: Input) {
    let reader = unsafe cfuzz_reader(
        request: { _, key, value in
            guard let key = unsafe key, let value = unsafe value else { return check(false, "no text") }
            // Each byte that is no UTF-8 may become U+FFFD, of three bytes.
            check(unsafe String(cString: key).utf8.count <= 3 * 64, "a long key")
            check(unsafe String(cString: value).utf8.count <= 3 * 256, "a long value")
        },
        latency: { _, cycles, frames, nanoseconds in
            let latency = PathLatency(cycles: Double(cycles), frames: Int(frames), nanoseconds: Int(nanoseconds))
            for (length, rate) in [(0, 0), (16, 8000), (8192, 768_000)] {
                let frames = latency.inFrames(cycleLength: length, sampleRate: rate)
                check(frames >= 0 && frames <= 1 << 30, "a latency of \(frames) frames")
            }
            check((latency + latency).difference(from: latency) != nil, "a sum that is less than one of its parts")
        })
    unsafe withUnsafePointer(to: reader) { reader in
        unsafe input.rest.withUnsafeBufferPointer { unsafe cfuzz_read_param($0.baseAddress, $0.count, reader, nil) }
    }
}
