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

    fileprivate struct State {
        /// The sources that are or were connected, by serial, as far as their sound may not be written yet.
        var names: [UInt64: Name] = [:]
        /// The sources that are connected now, by lane.
        var connected: [Int: UInt64] = [:]
    }

    private let state = Mutex(State())

    /// Number of sources whose names are kept: a source that comes and goes all day has another serial each time.
    static let limit = 1000

    /// Follows the changes of sources until the port is closed.
    func follow(_ port: ReceiverPort) async {
        for await changes in port.sourceUpdates {
            learn(
                changes.sources.map { source in
                    // The present links say little: channels are linked and unlinked one after the other.
                    let own = source.isShared ? source.channelCount : source.port.outputs.count
                    let name = Name(title: source.title, identity: source.identity, channelCount: own)
                    return (source.lane, source.id.serial, name)
                })
        }
    }

    /// - Parameter sources: all connected sources.
    func learn(_ sources: [(lane: Int, serial: UInt64, name: Name)]) {
        state.withLock { state in
            state.connected = [:]
            for source in sources {
                var name = source.name
                // A port that is being removed has fewer and fewer channels.
                name.channelCount = max(name.channelCount, state.names[source.serial]?.channelCount ?? 1)
                state.connected[source.lane] = source.serial
                state.names[source.serial] = name
            }
            state.forgetOldest()
        }
    }

    /// The name of a source; `nil` if the control side has not reported it yet.
    func name(of serial: UInt64) -> Name? { state.withLock { $0.names[serial] } }

    func isConnected(_ serial: UInt64, lane: Int) -> Bool { state.withLock { $0.connected[lane] == serial } }
}

extension SourceNames.State {
    /// A greater serial is younger.
    fileprivate mutating func forgetOldest() {
        guard names.count > SourceNames.limit else { return }
        let present = Set(connected.values)
        for serial in names.keys.sorted().prefix(names.count - SourceNames.limit) where !present.contains(serial) {
            names[serial] = nil
        }
    }
}
