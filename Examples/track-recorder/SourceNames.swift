// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The identities of the sources from the control side, for the thread that writes: the audio thread has numbers only.
///
/// - Thread: any.
final class SourceNames: Sendable {
    struct Name: Sendable {
        var title: String
        var identity: Source.Identity
        /// Number of channels of the source's port in the graph: 1 for a mono source, on however many channels it is or
        /// will be linked.
        var channelCount: Int
    }

    /// A source on a lane, for as long as it is connected. The serial of its port would not do: after a restart of the daemon another
    /// port may have it.
    struct Stream: Hashable {
        var lane: Int
        /// The source's generation on the lane.
        var number: UInt64
    }

    fileprivate struct State {
        /// The sources that are or were connected, as far as their sound may not be written yet.
        var names: [Stream: Name] = [:]
        var connected: Set<Stream> = []
    }

    private let state = Mutex(State())

    /// Number of sources of a lane whose names are kept. A source that comes and goes all day has another number each time.
    static let limit: UInt64 = 1000

    /// Follows the changes of sources until the port is closed.
    func follow(_ port: ReceiverPort) async {
        for await changes in port.sourceUpdates {
            learn(
                changes.sources.map { source in
                    // The present links say little: channels are linked and unlinked one after the other.
                    let own = source.isShared ? source.channelCount : source.port.outputs.count
                    let name = Name(title: source.title, identity: source.identity, channelCount: own)
                    return (Stream(lane: source.lane, number: source.sourceGeneration), name)
                })
        }
    }

    /// - Parameter sources: all connected sources.
    func learn(_ sources: [(stream: Stream, name: Name)]) {
        state.withLock { state in
            state.connected = Set(sources.map(\.stream))
            for (stream, name) in sources {
                let known = state.names.updateValue(name, forKey: stream)
                // A port that is being removed has fewer and fewer channels.
                if let known, known.channelCount > name.channelCount {
                    state.names[stream]?.channelCount = known.channelCount
                }
                if known == nil { state.forgetOld(on: stream.lane, before: stream.number) }
            }
        }
    }

    /// The name of a source; `nil` if the control side has not reported it yet.
    func name(of stream: Stream) -> Name? { state.withLock { $0.names[stream] } }

    func isConnected(_ stream: Stream) -> Bool { state.withLock { $0.connected.contains(stream) } }
}

extension SourceNames.State {
    fileprivate mutating func forgetOld(on lane: Int, before number: UInt64) {
        names = names.filter { $0.key.lane != lane || $0.key.number + SourceNames.limit > number }
    }
}
