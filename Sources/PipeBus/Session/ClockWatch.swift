// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Publishes the graph's clock to the app, and its rate to ports that do not run. Confined to the loop.
///
/// The daemon reports its settings. The values of the cycles are polled: PipeWire reports them to the audio thread alone.
final class ClockWatch {
    /// The time between two polls while a change is expected.
    private static let interval: Duration = .milliseconds(20)
    /// The number of polls in which the graph has made a change.
    private static let pollLimit = 50
    /// The rates that the format of a stream can be converted to, whatever it is. Any program may announce others.
    private static let usableRates = 8_000...384_000

    private let connection: SessionConnection
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let publisher: ClockPublisher
    private let timer: PollTimer
    /// The daemon's settings, by their global id; `nil` if it has none that this client may read.
    private var settings: BoundMetadata?
    private var announced = AnnouncedClock()
    /// Whether the session is open, so that the settings are complete.
    private var hasBegun = false
    private var isUpdateDue = false
    private var pollsLeft = 0

    init(
        on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable,
        publisher: ClockPublisher
    ) {
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
        self.publisher = publisher
        timer = connection.makePollTimer()
    }

    // MARK: The daemon's settings

    /// A metadata object has appeared. Called inside PipeWire's callback, so that the settings are known when the session is
    /// open.
    func appeared(_ id: UInt32, _ properties: [String: String]) {
        // An app may give any name to an object of its own. The daemon's has no client.
        guard settings == nil, properties["metadata.name"] == AnnouncedClock.objectName, properties["client.id"] == nil
        else { return }
        // Without the permission, or the module, nothing is announced. The cycles tell all the same.
        guard let settings = try? BoundMetadata(on: connection.pipeWire, id: id) else { return }
        settings.onProperty = { [unowned self] property in received(property) }
        self.settings = settings
    }

    func disappeared(_ id: UInt32) {
        guard let settings, settings.id == id else { return }
        self.settings = nil
        announced = AnnouncedClock()
        // In a job, because nothing may be destroyed inside PipeWire's callback.
        connection.later { [weak self] in
            settings.close()
            self?.update()
        }
    }

    private func received(_ property: BoundMetadata.Property) {
        guard announced.received(property), hasBegun, !isUpdateDue else { return }
        // In a job, because a change of several settings comes as several properties.
        isUpdateDue = true
        connection.later { [weak self] in self?.settingsChanged() }
    }

    private func settingsChanged() {
        isUpdateDue = false
        // The cycles change a moment later.
        if update() != nil { expectChange() }
    }

    // MARK: Cycles

    /// The present cycles of the app's ports; `nil` while none of them runs.
    private var cycles: GraphSettingsDetector.Settings? {
        // A node that does not run may have the values of a driver that is gone.
        for port in ports where port.isActive && port.node.isStreaming {
            guard let driver = port.node.driver, let cycle = port.node.cycleSize,
                let serial = model.reducer.serial(ofNode: driver.nodeID)
            else { continue }
            return GraphSettingsDetector.Settings(
                driver: serial, driverTitle: model.reducer.title(ofNode: driver.nodeID) ?? "A device", cycle: cycle,
                isFreewheeling: driver.isFreewheeling)
        }
        return nil
    }

    /// The session is open: all that the daemon has to report has come.
    func begin() {
        hasBegun = true
        update()
    }

    /// Publishes the present clock.
    ///
    /// - Returns: the present cycles; `nil` while no port runs.
    @discardableResult
    func update() -> GraphSettingsDetector.Settings? {
        guard hasBegun, connection.isOpen else { return nil }
        let cycles = cycles
        let size = cycles?.cycle ?? announced.cycle(of: connection.pipeWire.daemonVersion)
        let clock = size.map {
            ClockState(sampleRate: $0.sampleRate, quantum: $0.frameCount, driver: cycles?.driverTitle)
        }
        let known = publisher.clock
        publisher.publish(clock)
        if clock?.sampleRate != known?.sampleRate || clock?.quantum != known?.quantum {
            for port in declared.ports { announce(to: port) }
        }
        return cycles
    }

    /// A port has been made, or runs from now on.
    func changed(_ port: LivePort) {
        announce(to: port.declared)
        if port.node.isStreaming { expectChange() }
    }

    /// Gives a port the clock of its next cycle. A port that runs has that of its last.
    private func announce(to port: DeclaredPort) {
        guard let clock = publisher.clock, Self.usableRates.contains(clock.sampleRate),
            ports[port.handle]?.node.isStreaming != true
        else { return }
        port.memory.cells.announce(sampleRate: clock.sampleRate, quantum: clock.quantum)
    }

    private func expectChange() {
        pollsLeft = Self.pollLimit
        timer.start(after: Self.interval) { [unowned self] in poll() }
    }

    private func poll() -> Duration? {
        pollsLeft -= 1
        update()
        return pollsLeft > 0 ? Self.interval : nil
    }

    // MARK: The end

    /// The connection is lost.
    func stop() {
        timer.stop()
        publisher.publish(nil)
    }

    func close() {
        stop()
        settings?.close()
        settings = nil
    }
}
