// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// Counts of the calls of each port's block.
final class TickLog: Sendable {
    struct Counts {
        var calls = 0
        /// Calls with a connection.
        var connected = 0
        var discontinuous = 0
        /// Calls with an input that is not silent.
        var loud = 0
    }

    private let kept = Mutex<[String: Counts]>([:])

    // A lock is harmless here: the graph waits for the test's ports.
    func note(_ name: String, _ cycle: AudioCycle, isLoud: Bool = false) {
        kept.withLock { kept in
            kept[name, default: Counts()].calls += 1
            if cycle.isConnected { kept[name]?.connected += 1 }
            if cycle.isDiscontinuous { kept[name]?.discontinuous += 1 }
            if isLoud { kept[name]?.loud += 1 }
        }
    }

    subscript(name: String) -> Counts { kept.withLock { $0[name] ?? Counts() } }
    subscript(port: LocalPort) -> Counts { self[port.name] }
}

/// A port of each kind, whose blocks note their cycles.
struct TickingPorts {
    let sender: SenderPort
    let filter: FilterPort
    let inPlace: FilterPort
    let receiver: ReceiverPort
    let separate: ReceiverPort

    var all: [LocalPort] { [sender, filter, inPlace, receiver, separate] }

    static func add(to app: BusClient, keepsRunning: Bool, noting log: TickLog) async throws -> TickingPorts {
        let sender = try await app.sender("out", channels: .mono, keepsRunning: keepsRunning, state: log) {
            log, cycle, output in
            log.note("out", cycle)
            output.fill(0) { _ in 0.5 }
        }
        let filter = try await app.filter("fx", inputs: .mono, keepsRunning: keepsRunning, state: log) {
            log, cycle, input, output in
            log.note("fx", cycle, isLoud: input[0][0] != 0)
            let samples = input[0]
            for frame in samples.indices { output[0, frame] = samples[frame] }
        }
        let inPlace = try await app.inPlaceFilter("place", channels: .mono, keepsRunning: keepsRunning, state: log) {
            log, cycle, output in log.note("place", cycle, isLoud: output[0, 0] != 0)
        }
        let receiver = try await app.receiver("in", channels: .mono, keepsRunning: keepsRunning, state: log) {
            log, cycle, mix in log.note("in", cycle, isLoud: mix[0][0] != 0)
        }
        let separate = try await app.separateReceiver("apart", channels: .mono, keepsRunning: keepsRunning, state: log)
        {
            log, cycle, sources in
            log.note("apart", cycle, isLoud: sources.samples(ofLane: 0, channel: 0)[0] != 0)
        }
        return TickingPorts(sender: sender, filter: filter, inPlace: inPlace, receiver: receiver, separate: separate)
    }
}
