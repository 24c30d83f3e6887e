// SPDX-License-Identifier: MIT
package import PipeBusTesting

/// A command of a test to a `bus-peer`: a line of JSON on its standard input. Each is answered by a ``PeerReply``.
package enum PeerCommand: Codable, Sendable {
    /// Comes first. The daemon is the one that the environment names.
    case connect(app: String, name: String, isOneApp: Bool = false)
    case addSender(name: String, title: String? = nil, channels: Int, signal: PeerSignal, latency: Int = 0)
    /// A filter that passes its input on. It checks the input, if the expected signal is given.
    case addFilter(name: String, channels: Int, expecting: PeerSignal? = nil, latency: Int = 0)
    case addReceiver(name: String, channels: Int, lanes: Int = 8, expecting: PeerSignal? = nil)
    case join(source: String, destination: String, seconds: Double = 10)
    case part(source: String, destination: String)
    case setTitle(port: String, title: String)
    /// The latency of a sender or a filter.
    case setLatency(port: String, frames: Int)
    /// How old the sound of each source of a receiver is.
    case latencies(port: String)
    /// How the port fared; exact while the graph stands still, and of some moment while it runs.
    case report(port: String)
    /// Starts the port's counts again from the next cycle on; the checked signal goes on.
    case recount(port: String)
    /// The peak of each source of a receiver since the last reading.
    case meters(port: String)
    case closePort(port: String)
    /// The next call of the port's process block does not return for so long.
    case hang(port: String, seconds: Double)
    /// That call returns now.
    case release(port: String)
    /// What a port heard that checks sums; of a sender, its marks.
    case sum(port: String)
    /// Counts a port's breaks and marks from the next cycle on.
    case resetSum(port: String)
    case setBypassed(port: String, isBypassed: Bool)
    /// The client's states and notices since the last such command, each with its time.
    case events
    /// The sources of a receiver.
    case sources(port: String)
    /// The client's notices about its ports since it was connected.
    case notices
    /// The client's states since it was connected.
    case states
    /// Adds ports of every kind with everything that an app can declare of them: see `FullApp`.
    case addEverything
    /// Publishes a number of equal bytes under a key.
    case publish(key: String, count: Int, byte: UInt8)
    case unpublish(key: String)
    /// Adds a button.
    case addTrigger(id: String)
    case setTag(port: String, source: String, tag: UInt64)
    case setVolume(port: String, source: String, volume: Double)
    /// The client's ports with everything that is declared of them, in lines to compare.
    case describe
    /// The cycles of the receiver of separate streams of `addEverything`.
    case heard
    /// Begins them again.
    case forget
    /// Closes the client and ends the process, as the end of the standard input does.
    case close
}

/// A test signal and what its frames are numbered by.
package struct PeerSignal: Codable, Sendable, Hashable {
    package enum Clock: String, Codable, Sendable {
        /// The frames that the port has made or heard: shows losses and repeats on the path.
        case own
        /// The graph's position: shows whether sound arrives in the cycle in which it was made.
        case position
        /// Sums of ``SumProbe/signal``, of any number of sources. Read by ``PeerCommand/sum(port:)``.
        case sum
    }

    package var signal: TestSignal
    package var clock: Clock

    package init(_ signal: TestSignal, by clock: Clock) {
        self.signal = signal
        self.clock = clock
    }
}
