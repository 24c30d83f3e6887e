// SPDX-License-Identifier: MIT
public import PipeBus
import Synchronization

/// Ends an app that was launched for the bus, once nothing uses it: it is not shown, and not connected. So no app plays on that nobody sees.
///
/// ```swift
/// let life = await AppLife.begin(for: bus, service: service)
/// life.isShown = true  // when the first window opens; false when the last one is closed
/// await bus.runUntilSignal().exit()
/// ```
///
/// | the app | ends |
/// | --- | --- |
/// | was started as any program, from a menu or a shell | never by this |
/// | loses its last connection, or its last window, and has neither | a second later, if that is still so |
/// | is launched, and nobody connects it | after the time limit for that (``standardFirstConnectionLimit``) |
/// | has said that it does not want to end | when it is looked at again: at the next disconnect, or when the app that launched it leaves the graph |
/// | has lost its daemon | after ten times that limit without one; when it is back, its connections have the limit to come |
///
/// A port without a connection sends nothing: PipeWire gives it no cycles, and its block is not called. That mutes the app on the bus. What it
/// plays in other ways it mutes itself, when it is told so.
///
/// It goes on until ``stop()`` or the end of the client; releasing the object does not end it.
///
/// - Thread: any.
/// - Realtime: unsafe.
public final class AppLife: Sendable {
    /// For the first connection of an app that was launched, unless the app says otherwise: 60 s. A person may make it at a shell.
    public static let standardFirstConnectionLimit: Duration = .seconds(60)

    private enum Input: Sendable {
        case graph
        case shown(Bool)
        case request(ServiceRequest)
        case timer
        case answered(Int, Bool)
    }

    private let client: BusClient
    private let service: AppService?
    private let launcherAtStart: String?
    private let inputs: AsyncStream<Input>.Continuation
    private let shown = Mutex(false)
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let clock = ContinuousClock.now

    private let mayEnd: @Sendable () async -> Bool
    private let muteOutput: @Sendable (Bool) async -> Void
    private let end: (@Sendable () async -> Void)?

    /// Whether a window of the app shows. The app sets it: true when its first window opens, and false when its last one is closed.
    public var isShown: Bool {
        get { shown.withLock { $0 } }
        set {
            shown.withLock { $0 = newValue }
            inputs.yield(.shown(newValue))
        }
    }

    /// Switches the policy on. Without this call an app never ends by itself. When it returns, the app has been looked at once.
    ///
    /// - Parameters:
    ///   - client: its ports are those that are looked at, with those of all clients in this process.
    ///   - service: tells an app that D-Bus started why that was. Without one such an app never ends by this.
    ///   - firstConnectionLimit: the time for the first connection to come, and for connections after a restart of the daemon. The daemon
    ///     has ten times that to come.
    ///   - mayEnd: asked before the end, each time. The answer false keeps the app running until it is looked at again.
    ///   - muteOutput: mutes what the app plays in other ways than by its ports (true), or plays it again (false). It returns soon.
    ///   - end: ends the app. By default `BusClient.runUntilSignal` returns, with the reason `unused`.
    public static func begin(
        for client: BusClient, service: AppService? = nil,
        firstConnectionLimit: Duration = standardFirstConnectionLimit,
        mayEnd: @escaping @Sendable () async -> Bool = { true },
        muteOutput: @escaping @Sendable (Bool) async -> Void = { _ in }, end: (@Sendable () async -> Void)? = nil
    ) async -> AppLife {
        let (stream, inputs) = AsyncStream.makeStream(of: Input.self)
        let life = AppLife(client, service, inputs, mayEnd: mayEnd, muteOutput: muteOutput, end: end)
        var policy = AppLifePolicy(start: .ofProcess, firstConnectionLimit: firstConnectionLimit)
        // Nothing is to be done after the first look.
        _ = policy.handle(.seen(await life.sight), at: life.now)
        life.tasks.withLock {
            $0 = [
                Task {
                    for await _ in client.graphUpdates { inputs.yield(.graph) }
                    inputs.finish()
                },
                Task { [policy] in await life.run(policy, stream) },
            ]
        }
        service?.log.observe { inputs.yield(.request($0)) }
        return life
    }

    private init(
        _ client: BusClient, _ service: AppService?, _ inputs: AsyncStream<Input>.Continuation,
        mayEnd: @escaping @Sendable () async -> Bool, muteOutput: @escaping @Sendable (Bool) async -> Void,
        end: (@Sendable () async -> Void)?
    ) {
        self.client = client
        self.service = service
        self.inputs = inputs
        self.mayEnd = mayEnd
        self.muteOutput = muteOutput
        self.end = end
        launcherAtStart = if case .forBus(let launch) = AppStart.ofProcess { launch.launcherID } else { nil }
    }

    /// Switches the policy off. Idempotent.
    public func stop() {
        service?.log.observe(nil)
        inputs.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    private func run(_ start: AppLifePolicy, _ stream: AsyncStream<Input>) async {
        var policy = start
        var timer: (deadline: Duration, task: Task<Void, Never>)?
        for await input in stream {
            // The graph may say something else than when the timer was set, or the app was asked.
            var actions = policy.handle(.seen(await sight), at: now)
            if let event = Self.event(input) { actions += policy.handle(event, at: now) }
            for action in actions { await perform(action) }
            if policy.deadline != timer?.deadline {
                timer?.task.cancel()
                timer = policy.deadline.map { ($0, wake(at: $0)) }
            }
        }
        timer?.task.cancel()
        if policy.isMuted, policy.phase != .ended { await muteOutput(false) }
    }

    private static func event(_ input: Input) -> AppLifePolicy.Event? {
        switch input {
        case .graph: nil
        case .shown(let isShown): .shown(isShown)
        case .request(.port): .portRequested
        case .request(.show): .showRequested
        case .timer: .timePassed
        case .answered(let number, let mayEnd): .answered(number, mayEnd: mayEnd)
        }
    }

    private var now: Duration { clock.duration(to: .now) }

    private var sight: AppLifePolicy.Sight {
        get async {
            let (graph, peer) = await client.place
            guard let peer else { return AppLifePolicy.Sight() }
            let launcher = service?.log.launcherID ?? launcherAtStart
            return AppLifePolicy.Sight(
                isInGraph: true, isConnected: graph.isConnectedToOthers(peer),
                isLauncherPresent: launcher.map { id in graph.peers.contains { $0.applicationID == id } } ?? false)
        }
    }

    private func wake(at deadline: Duration) -> Task<Void, Never> {
        Task { [inputs, time = clock.advanced(by: deadline)] in
            guard (try? await Task.sleep(until: time, clock: .continuous)) != nil else { return }
            inputs.yield(.timer)
        }
    }

    private func perform(_ action: AppLifePolicy.Action) async {
        switch action {
        case .mute: await muteOutput(true)
        case .unmute: await muteOutput(false)
        case .ask(let number):
            Task { [inputs, mayEnd] in inputs.yield(.answered(number, await mayEnd())) }
        case .end:
            if let end { await end() } else { await client.endAsUnused() }
        }
    }
}
