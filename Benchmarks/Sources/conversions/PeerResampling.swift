// SPDX-License-Identifier: MIT
import BenchmarkSupport
import CBenchmarkResamplers

/// The same blocks through another resampler, which takes and gives interleaved floats.
@safe struct PeerResampling {
    private let peer: CBenchmarkResamplers.contender
    private let resampler: UnsafeMutableRawPointer?
    private let input = unsafe Noise.floats(ResamplingWork.channels * ResamplingWork.frames)
    private let output = unsafe Noise.floats(ResamplingWork.channels * ResamplingWork.capacity)

    init(_ peer: CBenchmarkResamplers.contender) {
        unsafe self.peer = unsafe peer
        let (from, to) = ResamplingWork.rates
        unsafe resampler = unsafe peer.open(UInt32(ResamplingWork.channels), UInt32(from), UInt32(to))
    }

    var contender: Contender { unsafe Contender(String(cString: peer.name), run: run) }

    private func run(_ times: Int) {
        var (used, made) = (0, 0)
        for _ in 0..<times {
            unsafe peer.process(
                resampler, input, ResamplingWork.frames, output, ResamplingWork.capacity, &used, &made)
        }
    }
}
