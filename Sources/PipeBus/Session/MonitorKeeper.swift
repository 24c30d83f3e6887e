// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Connects the monitors of receivers that play their mix by themselves to the default output device, and disconnects them.
/// Confined to the loop.
///
/// All steps are taken in one task, one after the other: see ``run()``.
final class MonitorKeeper {
    /// The time for which a monitor stays connected after its receiver's last source has gone: the next one may come soon.
    private static let idleTime: Duration = .seconds(1)
    private static let retryDelay: Duration = .seconds(2)

    private let connection: SessionConnection
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let connector: Connector
    private let devices: DefaultDeviceWatch
    private let refresh: Refresh
    private let notices: NoticeLog
    private let startTask: @Sendable () -> Void
    /// The device that each monitor is connected to, by the receiver's name.
    private var playing: [String: GraphPort.ID] = [:]
    /// The device that another program has disconnected a monitor from, or that it could not be connected to.
    private var refused: [String: Refusal] = [:]
    /// The time until which a receiver without a source keeps its monitor.
    private var idleUntil: [String: ContinuousClock.Instant] = [:]
    /// Receivers whose monitors are about to end.
    private var ending: Set<String> = []
    private var task = TaskState.none

    private struct Refusal: Equatable {
        let device: GraphPort.ID
        /// The device's number of channels, if it does not go together with that of the mix. Another number may.
        var channelCount: Int?
    }

    private enum TaskState { case none, started, running }

    private enum Step {
        case start(String, GraphPort.ID)
        case stop(String, GraphPort.ID)
        case openDevices
    }

    init(
        on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable,
        _ connector: Connector, _ devices: DefaultDeviceWatch, _ refresh: Refresh, notices: NoticeLog,
        startTask: @escaping @Sendable () -> Void
    ) {
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
        self.connector = connector
        self.devices = devices
        self.refresh = refresh
        self.notices = notices
        self.startTask = startTask
        devices.onChange = { [weak self] in self?.update() }
    }

    /// Whether any receiver monitors automatically, so that every change of the graph may concern it.
    var isNeeded: Bool { declared.ports.contains { $0.monitor != nil } }

    /// Marks the monitors as stale, after a change of the graph.
    func graphChanged() { if isNeeded { refresh.mark(.monitors) } }

    /// Starts what is to be done, if anything is.
    func update() {
        guard connection.isOpen else { return }
        if !isNeeded { devices.close() }
        forgetLost()
        guard task == .none, nextStep != nil else { return }
        task = .started
        startTask()
    }

    /// Takes steps until nothing is left to be done.
    func run() async {
        // The task may be one that an earlier session has started.
        guard task == .started else { return }
        task = .running
        while connection.isOpen {
            forgetLost()
            guard let step = nextStep else { break }
            switch step {
            case .openDevices: await devices.open()
            case .start(let name, let device): await start(name, on: device)
            case .stop(let name, let device): await stop(name, on: device)
            }
            connection.wakeWaits()
        }
        task = .none
    }

    /// Fades out a receiver's monitor and disconnects it, before it is closed.
    ///
    /// It waits for no other receiver's step, and not for a session manager that is slow to tell the default device.
    func end(_ name: String) async {
        ending.insert(name)
        defer {
            ending.remove(name)
            (playing[name], refused[name], idleUntil[name]) = (nil, nil, nil)
        }
        try? await connection.firstResult(by: .now.advanced(by: .seconds(5)), waitingFor: "the monitor's last step") {
            () -> Void? in
            busy.contains(name) ? nil : ()
        }
        if let device = playing[name] { await stop(name, on: device) }
    }

    /// Whether the default device is being read: a session manager may take its time.
    var isReadingDevice: Bool { devices.isOpening }

    // MARK: What is to be done

    private var nextStep: Step? {
        if isNeeded, devices.isDue { return .openDevices }
        for port in declared.ports where port.monitor != nil && !ending.contains(port.name) {
            let (present, wanted) = (playing[port.name], device(for: port))
            if present == wanted { continue }
            if let present { return .stop(port.name, present) }
            if let wanted { return .start(port.name, wanted) }
        }
        return nil
    }

    /// The device on which a receiver is to be played; `nil` if it is not to be played.
    private func device(for port: DeclaredPort) -> GraphPort.ID? {
        guard let receiver = ports[port.handle], let monitor = live(port.monitor),
            // The app plays it.
            !receiver.declaration.isMonitoring, hasSource(receiver), let nodeName = devices.nodeName,
            let device = model.snapshot.ports.first(where: {
                $0.nodeName == nodeName && $0.isOutputDevice && !$0.inputs.isEmpty
            })
        else { return nil }
        // Whoever connects the two again wants them connected.
        if refused[port.name]?.device == device.id, model.snapshot.connection(from: monitor.id, to: device.id) == nil {
            return nil
        }
        return model.audible.needsMonitor(receiver.id, playedBy: monitor.id, on: device.id) ? device.id : nil
    }

    private func live(_ monitor: DeclaredMonitor?) -> LivePort? { monitor.flatMap { ports[$0.port] } }

    /// Whether a receiver has a source, or had one a moment ago.
    private func hasSource(_ receiver: LivePort) -> Bool {
        if receiver.links.hasIncoming {
            idleUntil[receiver.name] = nil
            return true
        }
        guard playing[receiver.name] != nil else { return false }
        if let end = idleUntil[receiver.name] { return .now < end }
        idleUntil[receiver.name] = .now + Self.idleTime
        connection.after(Self.idleTime) { [weak self] in self?.update() }
        return true
    }

    /// Forgets what other programs have ended. A monitor that was disconnected stays so, until another device is the default.
    private func forgetLost() {
        for (name, device) in playing where !busy.contains(name) {
            let monitor = declared.ports.first { $0.name == name }?.monitor
            guard let port = live(monitor) else {
                playing[name] = nil
                // It may have been given up.
                publish(name)
                continue
            }
            if model.snapshot.connection(from: port.id, to: device) != nil { continue }
            playing[name] = nil
            if model.snapshot.port(device) != nil { refused[name] = Refusal(device: device) }
            monitor?.memory.setWanted(false)
            publish(name)
        }
        refused = refused.filter { name, refusal in
            guard monitor(of: name) != nil, let device = model.snapshot.port(refusal.device) else { return false }
            return refusal.channelCount.map { $0 == device.inputs.count } ?? true
        }
    }

    /// The receivers whose steps are being taken: one by the task, and others that end.
    private var busy: Set<String> = []

    // MARK: Steps

    private func start(_ name: String, on device: GraphPort.ID) async {
        guard let monitor = monitor(of: name), let port = live(monitor) else { return }
        busy.insert(name)
        defer { busy.remove(name) }
        refused[name] = nil
        // In an earlier session it may have been.
        monitor.memory.setWanted(false)
        let links: [Connection.Link]
        do {
            links = try await connector.connect(
                port.id, to: device, lingers: false, isDeclared: false,
                by: .now.advanced(by: .seconds(5)), timeout: .seconds(5)
            ).links
        } catch {
            // Another program may have made the connection.
            guard let present = model.snapshot.connection(from: port.id, to: device) else {
                return refuse(device, name, because: error)
            }
            links = present.links
        }
        // PipeWire adds up the channels that are linked to one input.
        monitor.memory.setHalved(Set(links.map(\.input)).count < links.count)
        playing[name] = device
        // Only now: its channels were linked one after the other.
        monitor.memory.setWanted(true)
        publish(name)
    }

    private func refuse(_ device: GraphPort.ID, _ name: String, because error: any Error) {
        guard connection.isOpen else { return }
        if (error as? PipeBusError)?.code == .channelMismatch, let port = model.snapshot.port(device) {
            refused[name] = Refusal(device: device, channelCount: port.inputs.count)
            return postMismatch(with: port, name)
        }
        // The device may be about to go, or not answer. It is tried again later.
        refused[name] = Refusal(device: device)
        connection.after(Self.retryDelay) { [weak self] in
            guard let self, refused[name] == Refusal(device: device) else { return }
            refused[name] = nil
            update()
        }
    }

    private func postMismatch(with device: GraphPort, _ name: String) {
        guard let receiver = ports[name] else { return }
        notices.post(
            Notice(
                kind: .monitorNotPlayed, port: name, source: device.id,
                message:
                    "The mix of \(Names.shown(receiver.title)) is not played on \(device.shownTitle), the default device: it has "
                    + "\(receiver.declaration.laneWidth) channels and the device takes \(device.inputs.count); "
                    + "choose another default device, or make the receiver stereo or mono."))
    }

    private func stop(_ name: String, on device: GraphPort.ID) async {
        busy.insert(name)
        defer { busy.remove(name) }
        if let monitor = monitor(of: name), let port = live(monitor) {
            monitor.memory.setWanted(false)
            await waitUntilSilent(monitor, port)
            // An error means that the device or the monitor has gone.
            try? await connector.disconnect(.id(port.id), from: .id(device))
        }
        playing[name] = nil
        publish(name)
    }

    /// Waits until a monitor has faded out, for the length of a fade and some cycles at most: the graph may stand still.
    private func waitUntilSilent(_ monitor: DeclaredMonitor, _ port: LivePort) async {
        let cycle = (ports.cycleSize ?? .usual).duration
        let deadline = ContinuousClock.now.advanced(by: cycle * 4 + .milliseconds(55))
        while connection.isOpen, ContinuousClock.now < deadline, port.links.hasOutgoing, !monitor.memory.isSilent {
            // Polled, because the audio thread cannot notify the control side.
            await connection.sleep(for: .milliseconds(2))
        }
    }

    private func monitor(of name: String) -> DeclaredMonitor? { declared.ports.first { $0.name == name }?.monitor }

    /// Publishes whether a receiver plays its mix, for the apps upstream of it.
    private func publish(_ name: String) {
        // An error means that the receiver is about to go.
        try? ports[name]?.setMonitorsAutomatically(playing[name] != nil)
    }

    func close() { devices.close() }
}
