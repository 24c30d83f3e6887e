// SPDX-License-Identifier: MIT
public import PipeBus
import Synchronization

/// Keeps the system from sleeping while sound flows to or from the app's ports, and only then.
///
/// ```swift
/// let inhibitor = try SleepInhibitor.begin(for: bus, reason: "Recording")
/// ```
///
/// Sound flows while a port is connected to another app or a device, and the graph runs it. Silence is sound: nothing listens to the samples. It is
/// looked at once a second while a port is connected, and never on the audio thread. The system may sleep again ``releaseDelay`` after it stops.
///
/// logind is asked, on the system bus (`Inhibit("sleep", …, "block")`). Where that is not reachable, as in a sandbox, the portal
/// `org.freedesktop.portal.Inhibit` is. Both let the system sleep again when the process ends, however it does.
///
/// It goes on until ``stop()`` or the end of the client; releasing the object does not end it.
///
/// - Thread: any.
/// - Realtime: unsafe.
public final class SleepInhibitor: Sendable {
    /// From the last sound to the end of the inhibition: 5 s. A pause between two songs is no end.
    public static let releaseDelay: Duration = .seconds(5)

    /// Whether the system is kept from sleeping.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public enum State: Sendable, Hashable, CustomStringConvertible {
        /// No sound flows, and the system may sleep.
        case idle
        /// Sound flows, and logind keeps the system from sleeping.
        case byLogind
        /// Sound flows, and the desktop does, asked through its portal.
        case byPortal
        /// Sound flows, and nothing keeps the system from sleeping. The sentence has the reasons. It is tried again when sound flows the next time.
        case unavailable(String)

        /// One plain sentence.
        public var description: String {
            switch self {
            case .idle: "The system may sleep."
            case .byLogind: "The system does not sleep (logind)."
            case .byPortal: "The system does not sleep (portal)."
            case .unavailable(let sentence): sentence
            }
        }
    }

    private enum Input: Sendable {
        case graph
        case timer
    }

    private let client: BusClient
    private let reason: String
    private let changed: @Sendable (State) -> Void
    private let inputs: AsyncStream<Input>.Continuation
    private let shownState = Mutex(State.idle)
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let clock = ContinuousClock.now

    /// The present state.
    public var state: State { shownState.withLock { $0 } }

    /// Begins to look for sound.
    ///
    /// - Parameters:
    ///   - client: its ports are those that are looked at.
    ///   - reason: shown to the user as the reason, such as "Recording": 1…128 bytes on one line.
    ///   - changed: called for each state after the first, which is `idle`.
    /// - Throws: ``PipeBusError`` `invalidArgument`.
    public static func begin(
        for client: BusClient, reason: String, changed: @escaping @Sendable (State) -> Void = { _ in }
    ) throws -> SleepInhibitor {
        try Names.check(text: reason, what: "The reason")
        let (stream, inputs) = AsyncStream.makeStream(of: Input.self)
        let inhibitor = SleepInhibitor(client, reason, inputs, changed)
        inhibitor.tasks.withLock {
            $0 = [
                Task {
                    for await _ in client.graphUpdates { inputs.yield(.graph) }
                    inputs.finish()
                },
                Task { await inhibitor.run(stream) },
            ]
        }
        return inhibitor
    }

    private init(
        _ client: BusClient, _ reason: String, _ inputs: AsyncStream<Input>.Continuation,
        _ changed: @escaping @Sendable (State) -> Void
    ) {
        self.client = client
        self.reason = reason
        self.inputs = inputs
        self.changed = changed
    }

    /// Lets the system sleep, and looks for sound no more. When the call returns, nothing is inhibited. Idempotent.
    public func stop() async {
        inputs.finish()
        let tasks = tasks.withLock { $0 }
        tasks.first?.cancel()
        for task in tasks { await task.value }
    }

    private func run(_ stream: AsyncStream<Input>) async {
        var flow = SoundFlow(releaseDelay: Self.releaseDelay)
        var inhibition: SleepInhibition?
        var timer: Task<Void, Never>?
        for await input in stream {
            if input == .timer { timer = nil }
            let (graph, peer) = await client.place
            let isConnected = peer.map { graph.isConnectedToOthers($0) } ?? false
            let wasFlowing = flow.isFlowing
            flow.look(isConnected: isConnected, cycles: await client.cycleCount, at: clock.duration(to: .now))
            if flow.isFlowing != wasFlowing {
                if flow.isFlowing {
                    inhibition = await take()
                } else {
                    await inhibition?.release()
                    inhibition = nil
                    publish(.idle)
                }
            }
            if timer == nil { timer = flow.nextLook.map { wake(at: $0) } }
        }
        timer?.cancel()
        await inhibition?.release()
        inhibition = nil
        publish(.idle)
    }

    private func take() async -> SleepInhibition? {
        do {
            let inhibition = try await SleepInhibition.take(who: client.name, why: reason)
            publish(inhibition.isLogind ? .byLogind : .byPortal)
            return inhibition
        } catch {
            publish(
                .unavailable(
                    "Nothing keeps the system from sleeping: neither logind (\(Names.shown(error.logind))) nor the desktop's portal (\(Names.shown(error.portal)))."
                ))
            return nil
        }
    }

    private func publish(_ state: State) {
        let isNew = shownState.withLock { shown in
            defer { shown = state }
            return shown != state
        }
        if isNew { changed(state) }
    }

    private func wake(at time: Duration) -> Task<Void, Never> {
        Task { [inputs, instant = clock.advanced(by: time)] in
            guard (try? await Task.sleep(until: instant, clock: .continuous)) != nil else { return }
            inputs.yield(.timer)
        }
    }
}
