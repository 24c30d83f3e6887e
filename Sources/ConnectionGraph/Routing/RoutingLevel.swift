// SPDX-License-Identifier: MIT

/// How loud a source of a routing is at its receiver. What is `nil` is left as it is.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct RoutingLevel: Sendable, Hashable {
    /// 0…1, linear amplitude.
    public var volume: Double?
    /// −1 (left) … 1 (right).
    public var pan: Double?
    /// Whether the source is left out of the mix.
    public var isMuted: Bool?
    /// Whether the source is soloed.
    public var isSoloed: Bool?

    /// A level, or a part of it. Values out of range are no error here: ``RoutingPreset/init(connections:bypasses:)`` refuses them.
    public init(volume: Double? = nil, pan: Double? = nil, isMuted: Bool? = nil, isSoloed: Bool? = nil) {
        self.volume = volume
        self.pan = pan
        self.isMuted = isMuted
        self.isSoloed = isSoloed
    }

    func check(at place: String) throws(RoutingError) {
        if let volume, !(0...1 ~= volume) {
            throw RoutingError(at: "\(place).volume", "\(volume) is no volume; it is a number from 0 to 1")
        }
        if let pan, !(-1...1 ~= pan) {
            throw RoutingError(at: "\(place).pan", "\(pan) is no pan; it is a number from -1 (left) to 1 (right)")
        }
    }
}
