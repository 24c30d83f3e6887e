// SPDX-License-Identifier: MIT
package import PipeBus

extension StreamFormat {
    /// Frames whose samples are the same in all channels, as bytes.
    ///
    /// - Parameter portChannels: number of the port's channels, which a format without channels has.
    package func bytes(ofAllChannels frames: [Double], _ portChannels: Int) -> [UInt8] {
        let channels = channelCount ?? portChannels
        let samples =
            isInterleaved
            ? frames.flatMap { Array(repeating: $0, count: channels) } : (0..<channels).flatMap { _ in frames }
        return samples.flatMap { value -> [UInt8] in
            let bits: UInt32 =
                switch sample {
                case .float32: Float(value).bitPattern
                case .int16: UInt32(bitPattern: Int32((value * 32_768).rounded()))
                case .int24: UInt32(bitPattern: Int32((value * 8_388_608).rounded()))
                case .int32: UInt32(bitPattern: Int32((value * 2_147_483_648).rounded()))
                }
            return (0..<sample.byteCount).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        }
    }
}
