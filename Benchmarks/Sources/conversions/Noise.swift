// SPDX-License-Identifier: MIT

/// Memory with random samples of −0.5 to 0.5. It is never freed.
enum Noise {
    static func floats(_ count: Int) -> UnsafeMutablePointer<Float> {
        let samples = unsafe UnsafeMutableRawPointer.allocate(byteCount: 4 * count, alignment: 64)
            .bindMemory(to: Float.self, capacity: count)
        for sample in 0..<count { unsafe samples[sample] = .random(in: -0.5...0.5) }
        return unsafe samples
    }
}
