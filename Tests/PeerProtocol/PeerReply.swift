// SPDX-License-Identifier: MIT

/// A `bus-peer`'s answer: a line of JSON on its standard output.
package enum PeerReply: Codable, Sendable {
    case done
    case added(nodeName: String)
    case report(PeerReport)
    case sum(SumReport)
    case events([String])
    case meters([PeerMeter])
    /// In frames, the least and the most of each source.
    case latencies([String: [Int]])
    case notices([PeerNotice])
    case sources([PeerSource])
    case states([PeerState])
    case description([String])
    case heard(PeerCycles)
    /// The library threw.
    case failure(code: String, message: String)
    /// The client has ended, and the process ends. Not an answer: it comes by itself.
    case ended(reason: String)
}

package struct PeerMeter: Codable, Sendable, Hashable {
    package var title: String
    package var peak: Float

    package init(title: String, peak: Float) {
        self.title = title
        self.peak = peak
    }
}

package struct PeerNotice: Codable, Sendable, Hashable {
    package var kind: String
    package var message: String

    package init(kind: String, message: String) {
        self.kind = kind
        self.message = message
    }
}

/// A state of the client, with its reason if it is interrupted or closed.
package struct PeerState: Codable, Sendable, Hashable {
    package var kind: String?
    package var message: String?

    package init(kind: String?, message: String?) {
        self.kind = kind
        self.message = message
    }
}

package struct PeerSource: Codable, Sendable, Hashable {
    package var title: String
    package var lane: Int
    package var isStalled: Bool
    /// In frames.
    package var latency: Int
    /// The delay for alignment, in frames.
    package var delay: Int

    package init(title: String, lane: Int, isStalled: Bool, latency: Int, delay: Int) {
        self.title = title
        self.lane = lane
        self.isStalled = isStalled
        self.latency = latency
        self.delay = delay
    }
}
