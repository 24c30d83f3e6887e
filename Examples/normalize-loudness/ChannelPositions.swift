// SPDX-License-Identifier: MIT
import CEBUR128
import PipeBusActions

/// Where the channels of a sound are heard, on which their weight in the loudness depends (ITU-R BS.1770-4, table 4).
enum ChannelPositions {
    /// The positions of all channels: what the file says, or what is usual for that number of channels in a WAV file.
    static func positions(of input: SoundInput) -> [channel] {
        let map = input.metadata.channelMap
        let places = map.count == input.channelCount ? map : usual(input.channelCount)
        let hasSides = places.contains(.sideLeft) || places.contains(.sideRight)
        return places.map { place in
            switch place {
            case .left, .frontLeft: EBUR128_LEFT
            case .right, .frontRight: EBUR128_RIGHT
            case .mono, .center, .frontCenter: EBUR128_CENTER
            case .lowFrequency: EBUR128_UNUSED
            case .sideLeft: EBUR128_Mp090
            case .sideRight: EBUR128_Mm090
            // Beside those at the sides they are behind, where the weight is that of the front.
            case .rearLeft where !hasSides: EBUR128_LEFT_SURROUND
            case .rearRight where !hasSides: EBUR128_RIGHT_SURROUND
            case .rearLeft: EBUR128_Mp135
            case .rearRight: EBUR128_Mm135
            default: EBUR128_Mp135
            }
        }
    }

    private static func usual(_ count: Int) -> [SoundChannel] {
        switch count {
        case 1: [.mono]
        case 3: [.left, .right, .center]
        case 4: [.left, .right, .rearLeft, .rearRight]
        case 5: [.left, .right, .center, .rearLeft, .rearRight]
        default:
            Array(
                ([.left, .right, .center, .lowFrequency, .rearLeft, .rearRight, .sideLeft, .sideRight]
                    + [SoundChannel](repeating: .rearCenter, count: count)).prefix(count))
        }
    }
}
