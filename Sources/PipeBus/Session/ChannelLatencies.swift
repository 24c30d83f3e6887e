// SPDX-License-Identifier: MIT
import PipeWireClient

/// The latencies that channels of any process declare, for several components: a channel is bound once. Confined to the loop.
final class ChannelLatencies {
    private let connection: SessionConnection
    /// The number of components that have bound a channel.
    private var users: [UInt32: Int] = [:]
    /// The age of the sound at each bound channel.
    private var ages: [UInt32: PathLatencyRange] = [:]

    init(on connection: SessionConnection) { self.connection = connection }

    /// Requests reports about a channel. Each call has its ``release(_:)``. In a job.
    func bind(_ channel: UInt32) {
        users[channel, default: 0] += 1
        // Bound again for another component: the reports begin with the present latencies.
        if users[channel] != 1 { connection.pipeWire.unbind(id: channel) }
        connection.pipeWire.bind(id: channel, kind: .port)
    }

    /// A channel that is gone may be released too.
    func release(_ channel: UInt32) {
        guard let count = users[channel] else { return }
        users[channel] = count > 1 ? count - 1 : nil
        guard count == 1 else { return }
        ages[channel] = nil
        connection.pipeWire.unbind(id: channel)
    }

    func reported(_ latency: PathLatencyRange, isOutputLatency: Bool, byChannel id: UInt32) {
        if isOutputLatency, users[id] != nil { ages[id] = latency }
    }

    /// The age that a bound channel declares for its sound; `nil` if it has declared none.
    func age(at channel: UInt32) -> PathLatencyRange? { ages[channel] }

    /// Forgets a channel that is gone: the daemon may give its id to another object. Idempotent.
    func forget(_ id: UInt32) {
        users[id] = nil
        ages[id] = nil
    }
}
