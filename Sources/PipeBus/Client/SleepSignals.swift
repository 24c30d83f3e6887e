// SPDX-License-Identifier: MIT
import PipeWireClient
import Synchronization

/// The clients of this process that wait for the system's sleep signals. One of them holds the connection to the bus for
/// all: a bus gives each user a limited number.
///
/// - Thread: any.
final class SleepSignals: Sendable {
    enum Signal: Sendable {
        case goesToSleep
        case wokeUp
        case busEnded
    }

    private struct Member: Sendable {
        let client: BusClient
        let address: String
        /// The signals that the client has not taken yet. They must not overtake each other, as tasks do.
        var signals: [Signal] = []
    }

    static let shared = SleepSignals()

    private let members = Mutex<[Member]>([])

    /// - Parameter address: the bus's.
    /// - Returns: whether the client has to connect to the bus.
    func add(_ client: BusClient, at address: String) -> Bool {
        members.withLock { members in
            defer { members.append(Member(client: client, address: address)) }
            return !members.contains { $0.address == address }
        }
    }

    /// Idempotent.
    ///
    /// - Returns: the client that has to connect now, if the removed one held the connection.
    func remove(_ client: BusClient) -> BusClient? {
        members.withLock { members in
            guard let index = members.firstIndex(where: { $0.client === client }) else { return nil }
            let address = members.remove(at: index).address
            guard let next = members.firstIndex(where: { $0.address == address }), next >= index else { return nil }
            return members[next].client
        }
    }

    /// Passes a signal to all clients of a bus.
    func send(_ signal: Signal, at address: String) {
        let clients = members.withLock { members in
            for index in members.indices where members[index].address == address {
                members[index].signals.append(signal)
            }
            return members.filter { $0.address == address }.map(\.client)
        }
        for client in clients { Task { await client.takeSleepSignals() } }
    }

    /// The signals that have come for a client since the last call.
    func take(for client: BusClient) -> [Signal] {
        members.withLock { members in
            guard let index = members.firstIndex(where: { $0.client === client }) else { return [] }
            defer { members[index].signals = [] }
            return members[index].signals
        }
    }
}
