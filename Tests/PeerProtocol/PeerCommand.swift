// SPDX-License-Identifier: MIT
package import PipeBusTesting

/// What a test asks of a `bus-peer`: a line of JSON on its standard input. Each is answered by a ``PeerReply``.
package enum PeerCommand: Codable, Sendable {
    /// Comes first. The daemon is the one that the environment names.
    case connect(app: String, name: String, isOneApp: Bool = false)
    case addSender(name: String, title: String? = nil, channels: Int, signal: PeerSignal, latency: Int = 0)
    /// Passes on what it is given; checks it too, if it is told what it should be.
    case addFilter(name: String, channels: Int, expecting: PeerSignal? = nil, latency: Int = 0)
    case addReceiver(name: String, channels: Int, lanes: Int = 8, expecting: PeerSignal? = nil)
    case join(source: String, destination: String, seconds: Double = 10)
    case part(source: String, destination: String)
    case setTitle(port: String, title: String)
    /// Of a sender or a filter.
    case setLatency(port: String, frames: Int)
    /// How old the sound of each source of a receiver is.
    case latencies(port: String)
    /// How the port fared; exact while the graph stands still, and of some moment while it runs.
    case report(port: String)
    /// Counts anew from the next cycle on; what is checked goes on as it is.
    case recount(port: String)
    /// What each source of a receiver peaked at since the last reading.
    case meters(port: String)
    case closePort(port: String)
    /// What the client said of its ports since it was connected.
    case notices
    /// Closes the client and ends the process, as the end of the standard input does.
    case close
}

/// A test signal and what its frames are numbered by.
package struct PeerSignal: Codable, Sendable, Hashable {
    package enum Clock: String, Codable, Sendable {
        /// Frames that the port has made or heard: tells what is lost or repeated on the way.
        case own
        /// The graph's position: tells whether sound arrives in the cycle in which it was made.
        case position
    }

    package var signal: TestSignal
    package var clock: Clock

    package init(_ signal: TestSignal, by clock: Clock) {
        self.signal = signal
        self.clock = clock
    }
}
