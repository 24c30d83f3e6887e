// SPDX-License-Identifier: MIT
import CRealtime
import PipeWireClient

/// Publishes in the client's state that a port of the app is overloaded. Confined to the loop.
final class OverloadWatch {
    private let ports: PortTable
    private let states: StatePublisher
    private var detector = OverloadDetector()
    /// Whether a port is overloaded, so that ``update()`` is to be called until it is no more.
    private(set) var isAnyOverloaded = false

    init(_ ports: PortTable, states: StatePublisher) {
        self.ports = ports
        self.states = states
    }

    /// Polling begins again: the time since the last poll says nothing.
    func begin() { detector.begin() }

    /// Looks at all ports. It destroys nothing, and may be called inside a callback.
    func update() {
        let now = MonotonicTime.now
        let samples = ports.map { ($0.id.serial, sample(of: $0, at: now)) }
        let overloaded = detector.update(Dictionary(uniqueKeysWithValues: samples), at: .now)
        isAnyOverloaded = !overloaded.isEmpty
        let port = ports.first { overloaded.contains($0.id.serial) }
        states.publishOverload(port.map { .overloaded($0.title) })
    }

    /// The session ends: its ports do not run any more.
    func close() {
        isAnyOverloaded = false
        states.publishOverload(nil)
    }

    private func sample(of port: LivePort, at now: MonotonicTime) -> OverloadDetector.Sample {
        let load = port.memory.cells.load
        return OverloadDetector.Sample(
            cycles: port.cycleCount, overruns: load.overruns,
            isStuck: port.isBlockStuck(at: now))
    }
}
