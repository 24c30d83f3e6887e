// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// Who the sources are, as the control side knows it, for the thread that writes: the audio thread knows numbers only.
///
/// - Thread: any.
final class SourceNames: Sendable {
    struct Name: Sendable {
        var title: String
        var identity: SourceIdentity
        /// 1 for a mono source.
        var channelCount: Int
    }

    private struct State {
        /// All that were ever connected, by serial.
        var names: [UInt64: Name] = [:]
        /// Those that are connected now, by lane.
        var connected: [Int: UInt64] = [:]
    }
    private let state = Mutex(State())

    /// Learns who comes and goes, until the port is closed.
    func follow(_ port: ReceiverPort) async {
        for await changes in port.sourceUpdates {
            learn(
                changes.sources.map { source in
                    let name = Name(
                        title: source.title, identity: source.identity, channelCount: source.channelCount)
                    return (source.lane, source.id.serial, name)
                })
        }
    }

    /// - Parameter sources: all that are connected.
    func learn(_ sources: [(lane: Int, serial: UInt64, name: Name)]) {
        state.withLock { state in
            state.connected = [:]
            for source in sources {
                state.connected[source.lane] = source.serial
                state.names[source.serial] = source.name
            }
        }
    }

    /// What is known of a source; `nil` if the control side has not told of it.
    func name(of serial: UInt64) -> Name? { state.withLock { $0.names[serial] } }

    func isConnected(_ serial: UInt64, lane: Int) -> Bool { state.withLock { $0.connected[lane] == serial } }
}
