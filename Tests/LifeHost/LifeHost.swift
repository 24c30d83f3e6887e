// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusApps

/// An installed app for tests of how apps live and end. It writes what happens to it into a file.
///
/// `life-host ID NAME LOG MODES PORT…` with modes between commas:
///
/// | mode | |
/// | --- | --- |
/// | `life` | ends when it is unused; `limit=SECONDS` for its first connection |
/// | `veto` | does not want to end until its trigger "allow" is pressed |
/// | `waits` | does not answer whether it wants to end until its trigger "allow" is pressed |
/// | `shown` | shows a window from the start; the triggers "show" and "hide" open and close it |
/// | `closure` | ends by a closure of its own |
/// | `deaf` | is on no session bus |
/// | `back` | goes back to its launcher when it is shown, after it has tried to show itself |
/// | `launch=ID` | launches an app, and connects that to a port of its own, for as long as it runs |
/// | `inhibit` | inhibits the system's sleep while it sounds |
/// | `status=TEXT` | tells the desktop that it plays in the background |
@main
struct LifeHost {
    let id: String
    let bus: BusClient
    let log: HostLog
    let modes: Set<String>

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 4 else { exit(64) }
        let log = HostLog(path: arguments[3])
        let start = AppStart.ofProcess
        log.write("started \(Self.words(for: start))")
        let modes = Set(arguments[4].split(separator: ",").map(String.init))
        let remote = modes.contains("deaf") ? nil : await AppStart.request(to: arguments[1])?.remote
        let bus = try await BusClient.connect(as: arguments[1], name: arguments[2], remote: remote)
        for port in arguments.dropFirst(5) {
            _ = try await bus.sender(port, channels: .mono, state: ()) { _, _, _ in }
        }
        try await LifeHost(id: arguments[1], bus: bus, log: log, modes: modes).run()
    }

    private static func words(for start: AppStart) -> String {
        switch start {
        case .normal: "normally"
        case .byDBus: "by D-Bus"
        case .forBus: "for the bus"
        }
    }

    private func value(of mode: String) -> String? {
        modes.first { $0.hasPrefix("\(mode)=") }.map { String($0.dropFirst(mode.count + 1)) }
    }

    private func run() async throws {
        // The service is there before its closures are called, and they need it.
        let (services, made) = AsyncStream.makeStream(of: AppService?.self)
        let service = await startService { [self] in
            if modes.contains("back") { for await service in services { await goBack(service) } }
        }
        made.yield(service)
        made.finish()
        if modes.contains("life") { try await live(service) }
        if let other = value(of: "launch") { try await launch(other) }
        var inhibitor: SleepInhibitor?
        if modes.contains("inhibit") {
            inhibitor = try SleepInhibitor.begin(for: bus, reason: "It plays") { [log] in log.write("inhibition \($0)")
            }
        }
        if let status = value(of: "status") { await setStatus(status) }
        log.write("ready")
        noteConnections()
        let ending = await bus.runUntilSignal()
        withExtendedLifetime(inhibitor) {}
        log.write("ended \(ending)")
        ending.exit()
    }

    /// Writes when the app is connected, and when it is not any more.
    private func noteConnections() {
        Task {
            var wasConnected = false
            for await graph in bus.graphUpdates {
                let own = graph.ports.filter { graph.peer(of: $0)?.applicationID == id }
                let isConnected = own.contains { !graph.destinations(of: $0.id).isEmpty }
                if isConnected != wasConnected { log.write(isConnected ? "connected" : "disconnected") }
                wasConnected = isConnected
            }
        }
    }

    private func startService(_ shown: @escaping @Sendable () async -> Void) async -> AppService? {
        guard !modes.contains("deaf") else { return nil }
        do {
            return try await AppService.start(for: bus) { [log] launch in
                log.write("wanted by \(launch.launcherName ?? "-")")
            } show: { [log] launch in
                log.write("show by \(launch.launcherName ?? "-")")
                await shown()
            }
        } catch {
            log.write("\(error)")
            return nil
        }
    }

    private func goBack(_ service: AppService?) async {
        guard let service else { return }
        do { try await service.show(id) } catch { log.write("\(error)") }
        do { try await service.showLauncher() } catch { log.write("\(error)") }
    }

    private func live(_ service: AppService?) async throws {
        let limit = value(of: "limit").flatMap { Double($0) }
        var end: (@Sendable () async -> Void)?
        if modes.contains("closure") {
            end = { [bus, log] in
                log.write("closure")
                await bus.close()
                exit(0)
            }
        }
        let permission = Permission(!modes.contains("veto") && !modes.contains("waits"), waits: modes.contains("waits"))
        let life = await AppLife.begin(
            for: bus, service: service,
            firstConnectionLimit: limit.map { .seconds($0) } ?? AppLife.standardFirstConnectionLimit,
            mayEnd: { [log] in
                log.write("asked")
                return await permission.answer
            },
            muteOutput: { [log] in log.write($0 ? "muted" : "unmuted") }, end: end)
        if modes.contains("shown") { life.isShown = true }
        try await bus.addTrigger(.button, id: "show") { _ in life.isShown = true }
        try await bus.addTrigger(.button, id: "hide") { _ in life.isShown = false }
        try await bus.addTrigger(.button, id: "allow") { _ in await permission.give() }
    }

    private actor Permission {
        private var isGiven: Bool
        private let waits: Bool
        private var questions: [CheckedContinuation<Void, Never>] = []

        init(_ isGiven: Bool, waits: Bool) {
            self.isGiven = isGiven
            self.waits = waits
        }

        var answer: Bool {
            get async {
                if waits, !isGiven { await withCheckedContinuation { questions.append($0) } }
                return isGiven
            }
        }

        func give() {
            isGiven = true
            for question in questions { question.resume() }
            questions = []
        }
    }

    private func launch(_ other: String) async throws {
        guard let app = AppDirectory.app(other) else { return log.write("\(other) is not installed") }
        let input = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let port = try await app.launch(for: bus)
        try await bus.connect(port, to: input)
    }

    private func setStatus(_ text: String) async {
        do {
            try await BackgroundStatus.set(text)
            log.write("status set")
        } catch {
            log.write("\(error)")
        }
    }
}
