// SPDX-License-Identifier: MIT

/// How a receiver or a filter avoids clicks when a source is connected or disconnected.
///
/// | when | fade |
/// | --- | --- |
/// | sound begins | in, along a raised cosine |
/// | sound is cut off | the last sample decays |
/// | this app disconnects a source of its receiver | out, along a raised cosine, before the disconnection |
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct Fade: Sendable, Hashable {
    let microseconds: Int

    /// 5 milliseconds.
    public static let standard = Fade(microseconds: 5_000)
    /// No fade: every sample passes unchanged, from the first one on.
    public static let none = Fade(microseconds: 0)

    /// A fade of another length, 0…100 milliseconds. A length out of range is refused when a port is made with it.
    public static func duration(_ duration: Duration) -> Fade {
        // Clamped, so that the conversion cannot overflow.
        Fade(microseconds: Int(max(min(duration / .microseconds(1), 1e9), -1)))
    }
}
