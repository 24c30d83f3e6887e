// SPDX-License-Identifier: MIT

/// Samples that lie at any offset, between NaN: a kernel that uses one too many shows it in its result.
@safe
final class GuardedSamples {
    let pointer: UnsafeMutablePointer<Float>
    private let memory: UnsafeMutableBufferPointer<Float>

    init(_ samples: [Float], offset: Int = 8) {
        unsafe memory = .allocate(capacity: offset + samples.count + 72)
        unsafe memory.initialize(repeating: .nan)
        unsafe pointer = memory.baseAddress! + offset
        for (index, sample) in samples.enumerated() { unsafe pointer[index] = sample }
    }

    deinit {
        unsafe memory.deallocate()
    }
}
