// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// An exact graph with output devices, what each of them plays, and an app whose receiver plays its mix by itself.
final class MonitorScene: Sendable {
    /// The sound of two sources.
    static let signal: Stage.Signal = { position, channel in
        Float((position &* 7 &+ 1009 &* Int64(channel)) & 0xFFF) / 8192
    }
    static let other: Stage.Signal = { position, channel in
        Float((position &* 11 &+ 2003 &* Int64(channel)) & 0xFFF) / 16_384
    }

    let stage: Stage
    /// The app with the receiver.
    var app: BusClient { stage.taker }
    /// Records what the devices play.
    let listener: BusClient
    let notices: NoticeLog
    private let played = Mutex<[String: Hearing]>([:])
    private let devices = Mutex<[String: ForeignDevice]>([:])
    private let deviceCount = Mutex(0)

    static func start(installation: PipeWireInstallation = .chosen, devices: [String] = ["sink-a"]) async throws
        -> MonitorScene
    {
        let stage = try await Stage.start(installation: installation)
        let listener = try await BusClient.connect(
            as: "org.pipebus.listener", name: "Listener", remote: stage.graph.remote,
            allowsConnectionsToSelf: true)
        let scene = MonitorScene(stage, listener)
        for device in devices { try await scene.addDevice(device) }
        if let first = devices.first { try await scene.setDefault(first) }
        return scene
    }

    private init(_ stage: Stage, _ listener: BusClient) {
        self.stage = stage
        self.listener = listener
        notices = NoticeLog(stage.taker.notices)
    }

    /// A receiver of the app's that plays its mix by itself.
    func monitoringReceiver(_ name: String = "in") async throws -> ReceiverPort {
        let port = try await app.receiver(name, lanes: 4, fade: .none, panLaw: .balance)
        try await port.setMonitorsAutomatically(true)
        return port
    }

    // MARK: Devices

    func addDevice(_ name: String, positions: [String] = ["FL", "FR"]) async throws {
        let made = try ForeignDevice(name, at: stage.graph.remote, positions: positions)
        devices.withLock { $0[name] = made }
        let hearing = Hearing()
        let number = deviceCount.withLock { count in
            count += 1
            return count
        }
        let receiver = try await hearing.separate(
            on: listener, "ears-\(number)", channels: .channels(positions.count), lanes: 1, alignment: .immediate)
        try await stage.stepping(256) { [listener] in _ = try await listener.connect(name, to: receiver) }
        played.withLock { $0[name] = hearing }
        try await eventually("\(name) to be seen") { try await device(name) != nil }
    }

    func device(_ name: String) async throws -> GraphPort? { await app.graph.ports.first { $0.nodeName == name } }

    func removeDevice(_ name: String) async throws {
        devices.withLock { $0[name] = nil }
        // Without cycles: one that runs while a node goes may be left unfinished.
        try await eventually("\(name) to be gone") { try await device(name) == nil }
    }

    func setDefault(_ name: String?) async throws {
        let arguments =
            name.map { ["0", "default.audio.sink", "{\"name\":\"\($0)\"}", "Spa:String:JSON"] }
            ?? ["-d", "0", "default.audio.sink"]
        try await stage.graph.run("pw-metadata", ["-n", "default"] + arguments)
    }

    /// What a device has played, in cycles since it was forgotten.
    func hearing(_ device: String) throws -> Hearing { try XCTUnwrap(played.withLock { $0[device] }) }

    /// The last cycles of a channel of a device: the position of the first sample, and the samples.
    func sound(_ device: String, channel: Int, cycles: Int) throws -> (start: Int64, samples: [Float]) {
        let moments = try hearing(device).moments.suffix(cycles)
        XCTAssertEqual(moments.count, cycles, "\(device) runs")
        let samples = moments.flatMap { moment in
            moment.lanes[0]?.channels[channel] ?? Array(repeating: 0, count: moment.cycle.frameCount)
        }
        return (moments.first?.start ?? 0, samples)
    }

    // MARK: The receiver

    /// Runs cycles until the receiver plays on a device, or nowhere, and its fade is over.
    func waitUntilPlayed(_ receiver: ReceiverPort, on device: String?, line: UInt = #line) async throws {
        try await stage.stepping(256) { [self] in
            try await eventually("line \(line): the receiver to be played on \(device ?? "nothing")") {
                let graph = await app.graph
                let port = graph.port(receiver.id)
                let monitor = graph.ports.first { $0.name == "\(receiver.name)-monitor" && $0.isPipeBus }
                let devices = monitor.map { graph.destinations(of: $0.id).map(\.nodeName) } ?? []
                return devices == (device.map { [$0] } ?? []) && port?.isMonitoring == (device != nil)
            }
        }
        try await stage.step(256, cycles: 8)
    }

    /// The device plays exactly this from now on: to the frame, so that the monitor adds no cycle.
    func assertPlays(
        _ device: String, channels: Int = 2, line: UInt = #line, _ signal: Stage.Signal
    ) async throws {
        try await stage.step(256, cycles: 20)
        for channel in 0..<channels {
            let (start, samples) = try sound(device, channel: channel, cycles: 20)
            for (frame, sample) in samples.enumerated() where sample != signal(start + Int64(frame), channel) {
                let expected = signal(start + Int64(frame), channel)
                return XCTFail(
                    "\(device), channel \(channel), frame \(frame): \(sample), not \(expected)", line: line)
            }
        }
    }

    func assertIsSilent(_ device: String, line: UInt = #line) async throws {
        try await assertPlays(device, line: line) { _, _ in 0 }
    }

    func close() async throws {
        await listener.close()
        devices.withLock { $0 = [:] }
        try await stage.close()
    }
}
