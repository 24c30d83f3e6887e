// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// An app with everything that can be declared, in a process of its own, which hears two apps: `Voice`, to which things
/// happen, and `Steady`, which must not be harmed. This process listens to the app's sender, and looks.
final class FaultScene: Sendable {
    static let steadyTag: UInt64 = 1
    static let voiceTag: UInt64 = 2

    let daemon: HeadlessPipeWire
    let steady: Peer
    /// The first one; a fault may have ended it.
    let voice: Peer
    private let apps: Mutex<Peer>
    private let otherVoices = Mutex<[Peer]>([])
    let observer: BusClient
    let listener: ReceiverPort

    static func start(on daemon: HeadlessPipeWire) async throws -> FaultScene {
        let observer = try await BusClient.connect(
            as: "org.pipebus.observer", name: "Observer", remote: daemon.remote, restoresForeignConnections: false)
        let listener = try await observer.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        async let steady = sender("Steady", on: daemon)
        async let voice = sender("Voice", on: daemon)
        async let app = Peer.start("App", on: daemon, client: daemon.installation)
        let scene = try await FaultScene(daemon, app, steady, voice, observer, listener)
        try await scene.completeApp()
        return scene
    }

    private init(
        _ daemon: HeadlessPipeWire, _ app: Peer, _ steady: Peer, _ voice: Peer, _ observer: BusClient,
        _ listener: ReceiverPort
    ) {
        self.daemon = daemon
        apps = Mutex(app)
        self.steady = steady
        self.voice = voice
        self.observer = observer
        self.listener = listener
    }

    /// The last one that was started.
    var app: Peer { apps.withLock { $0 } }

    static func sender(_ name: String, on daemon: HeadlessPipeWire) async throws -> Peer {
        let peer = try await Peer.start(name, on: daemon, client: daemon.installation)
        try await peer.addSender("out", .counting)
        return peer
    }

    static let connections = [
        ("Steady.out", "App.in"), ("Voice.out", "App.in"), ("Voice.out", "App.mix"), ("Steady.out", "App.fx"),
        ("App.out", "Observer.in"),
    ]

    private func completeApp() async throws {
        try await app.perform(.addEverything)
        try await connect()
        try await setValues()
    }

    /// Starts the app once more, after its end.
    func replaceApp() async throws {
        let app = try await Peer.start("App", on: daemon, client: daemon.installation)
        apps.withLock { $0 = app }
        try await completeApp()
    }

    func connect() async throws {
        for (source, destination) in Self.connections { try await app.join(source, to: destination) }
    }

    /// Sets what the app declares of its sources.
    func setValues() async throws {
        try await setTags()
        try await app.perform(.setVolume(port: "mix", source: "Voice", volume: 0.25))
    }

    /// A tag lasts as long as its connection is declared.
    func setTags() async throws {
        try await app.perform(.setTag(port: "in", source: "Steady", tag: Self.steadyTag))
        try await app.perform(.setTag(port: "in", source: "Voice", tag: Self.voiceTag))
    }

    func disconnect() async throws {
        for (source, destination) in Self.connections {
            try await app.perform(.part(source: source, destination: destination))
        }
    }

    /// Starts the source's app once more, after its end.
    func replaceVoice() async throws {
        let voice = try await Self.sender("Voice", on: daemon)
        otherVoices.withLock { $0.append(voice) }
        for (source, destination) in Self.connections where source == "Voice.out" {
            try await app.join(source, to: destination)
        }
        try await setValues()
    }

    // MARK: What there is

    struct Inventory: Equatable {
        /// The app's ports, with everything that is declared of them.
        var app: [String]
        /// The objects of the daemon, by their names.
        var objects: [String]
    }

    /// By a program of the daemon's version: that of 0.3.65 writes no valid JSON of a graph of 1.4.
    func dump() async throws -> GraphDump { try await GraphDump.take(daemon, client: daemon.installation) }

    func inventory() async throws -> Inventory {
        guard case .description(let lines) = try await app.perform(.describe) else { throw TestKitError("no lines") }
        return Inventory(app: lines, objects: try await dump().names)
    }

    /// The app and its sources, with their names.
    var processes: [(name: String, pid: Int32)] { [app, steady, voice].map { ($0.name, $0.process.pid) } }

    func close() async throws {
        for peer in [app, voice, steady] + otherVoices.withLock({ $0 }) where peer.process.ending == nil {
            peer.process.signal(SIGCONT)
            try await peer.close()
        }
        await observer.close()
    }
}
