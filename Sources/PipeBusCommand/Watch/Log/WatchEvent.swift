// SPDX-License-Identifier: MIT
import Foundation
import PipeBus

/// An event in the form of `watch --json`. Fields may be added; ``version`` changes if one gets another meaning.
struct WatchEvent: Encodable, Sendable {
    enum Kind: String, Encodable, Sendable {
        case portAdded, portRemoved, portChanged
        case connected, disconnected, linksChanged
        case level, xrun, daemon, notice
    }

    var version = 1
    /// ISO 8601, UTC, with milliseconds.
    var time = ""
    var event: Kind
    /// Whether it was so when the command began.
    var isInitial: Bool?

    /// The unique name of the port that it is about, and of both ends of a connection.
    var port: String?
    var source: String?
    var destination: String?

    // Of a port.
    var title: String?
    var app: String?
    /// "sender", "filter" or "receiver".
    var kind: String?
    var isDevice: Bool?
    var isPipeBus: Bool?
    var isBypassed: Bool?
    /// "audio", "midi", "video", "other".
    var media: [String]?

    // Of a connection.
    var medium: String?
    var links: LinkCount?

    // Of a level.
    /// Linear.
    var volume: Double?
    var pan: Double?
    var isMuted: Bool?
    var isSoloed: Bool?

    // Of an xrun.
    /// The number of cycles since the last event that the port did not finish in time.
    var count: Int?
    /// The number since the command began. A cycle that several ports did not finish counts once.
    var total: Int?
    /// Whose fault the last one was, by its name for people; absent if that is not known.
    var culprit: String?

    // Of the daemon, and of a notice.
    /// "running", or the reason why not.
    var state: String?
    var message: String?

    init(_ event: Kind) { self.event = event }
}
