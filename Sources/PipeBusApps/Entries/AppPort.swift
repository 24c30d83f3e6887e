// SPDX-License-Identifier: MIT
public import PipeBus

/// A port that an app has when it runs, as its desktop entry declares it.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct AppPort: Sendable, Hashable, Codable {
    /// The port's name in its app, as given to `BusClient`.
    public let name: String
    /// Which way its sound goes.
    public let kind: PortKind
    /// Number of audio channels that the port takes: 1…64, or 0 for a sender.
    public let inputCount: Int
    /// Number of audio channels that the port gives: 1…64, or 0 for a receiver.
    public let outputCount: Int
    /// The name shown to people.
    public let title: String

    /// The range of a port's channels.
    static let channelCounts = 1...ChannelLayout.maximumCount
    /// The largest number of ports of an app that are declared.
    static let largestCount = 64

    /// - Throws: ``PipeBusError`` `invalidArgument`.
    func check() throws {
        try Names.check(name: name, of: "a port")
        try Names.check(text: title, what: "The title of a port")
        let counts = (kind == .sender ? [] : [inputCount]) + (kind == .receiver ? [] : [outputCount])
        guard counts.allSatisfy(Self.channelCounts.contains) else {
            throw PipeBusError(
                .invalidArgument,
                "The port \"\(name)\" has a number of channels out of \(Self.channelCounts.lowerBound)…\(Self.channelCounts.upperBound)."
            )
        }
    }

    /// Declares a sender.
    public static func sender(_ name: String, channels: ChannelLayout = .stereo, title: String? = nil) -> AppPort {
        AppPort(name: name, kind: .sender, inputCount: 0, outputCount: channels.count, title: title ?? name)
    }

    /// Declares a receiver.
    ///
    /// - Parameter channels: those of one source.
    public static func receiver(_ name: String, channels: ChannelLayout = .stereo, title: String? = nil) -> AppPort {
        AppPort(name: name, kind: .receiver, inputCount: channels.count, outputCount: 0, title: title ?? name)
    }

    /// Declares a filter.
    ///
    /// - Parameter outputs: as many as inputs unless given.
    public static func filter(
        _ name: String, inputs: ChannelLayout = .stereo, outputs: ChannelLayout? = nil, title: String? = nil
    ) -> AppPort {
        AppPort(
            name: name, kind: .filter, inputCount: inputs.count, outputCount: (outputs ?? inputs).count,
            title: title ?? name)
    }
}
