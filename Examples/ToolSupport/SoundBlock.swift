// SPDX-License-Identifier: MIT

/// Interleaved samples of whole frames, in the format of their player.
package enum SoundBlock: Sendable {
    case floats([Float])
    case bytes([UInt8])

    var isEmpty: Bool {
        switch self {
        case .floats(let samples): samples.isEmpty
        case .bytes(let bytes): bytes.isEmpty
        }
    }

    /// - Parameter bytesPerSample: of bytes; a float is one sample.
    func frameCount(channelCount: Int, bytesPerSample: Int) -> Int {
        switch self {
        case .floats(let samples): samples.count / channelCount
        case .bytes(let bytes): bytes.count / (channelCount * bytesPerSample)
        }
    }
}
