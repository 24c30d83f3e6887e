// SPDX-License-Identifier: MIT

/// When an app that was launched for the bus ends by itself. Pure: what happens comes in, with the time; what is to be done comes out.
///
/// | phase | goes to | when |
/// | --- | --- | --- |
/// | `undecided` | `exempt` | the first request is to show the app |
/// | | `inUse`, `expected` | the first request is for a port |
/// | `expected`, `muted`, `asking`, `vetoed` | `inUse` | it is connected or shown |
/// | `inUse` | `muted` | its last connection goes, or its last window, and it has neither |
/// | | `expected` | its last window goes before its first connection |
/// | all of them | `expected` | the daemon is gone, or there again, and it is not shown |
/// | `vetoed` | `muted` | the launcher leaves |
/// | `expected` | `muted` | the time for the first connection, or for the daemon, is over |
/// | `muted`, `asking`, `vetoed` | `expected` | it is wanted again, for a port or to be shown |
/// | `muted` | `asking` | a second is over |
/// | `asking` | `ended`, `vetoed` | the app answers |
struct AppLifePolicy: Sendable, Hashable {
    enum Phase: Sendable, Hashable {
        /// D-Bus started the process, and the request is still to come.
        case undecided
        /// The app was started as any program. The policy does nothing.
        case exempt
        case inUse
        /// Its first connection is to come: it was launched, or has come back with its daemon. Or its daemon is to come.
        case expected(until: Duration)
        /// Nothing uses it. It is looked at again after a second.
        case muted(until: Duration)
        /// The app is asked whether it may end, for the nth time.
        case asking(Int)
        /// The app does not want to end.
        case vetoed
        case ended
    }

    /// What a look at the graph shows.
    struct Sight: Sendable, Hashable {
        /// Whether the app is in the graph. Without it the other values mean nothing.
        var isInGraph = false
        /// Whether a port is connected to another app or a device.
        var isConnected = false
        /// Whether the app that launched this one is in the graph.
        var isLauncherPresent = false
    }

    enum Event: Sendable, Hashable {
        case seen(Sight)
        /// A window of the app shows, or none does any more.
        case shown(Bool)
        case portRequested
        case showRequested
        case timePassed
        case answered(Int, mayEnd: Bool)
    }

    enum Action: Sendable, Hashable {
        case mute
        case unmute
        case ask(Int)
        case end
    }

    /// From the look at which nothing uses the app to the next one.
    static let graceTime: Duration = .seconds(1)

    /// For a connection to come.
    let firstConnectionLimit: Duration
    /// For the daemon to come: so many times as long. A session that is over leaves no app that waits for it for ever.
    static let patienceForDaemon = 10
    private(set) var phase: Phase
    private(set) var sight = Sight()
    private(set) var isShown = false
    /// When the time for the first connection is over; `nil` once there was one.
    private var expectedUntil: Duration?
    private var questionCount = 0

    /// - Parameter start: an app that was started normally is exempt.
    init(start: AppStart, firstConnectionLimit: Duration) {
        self.firstConnectionLimit = firstConnectionLimit
        phase =
            switch start {
            case .normal: .exempt
            case .byDBus: .undecided
            case .forBus: .inUse
            }
    }

    /// When ``Event/timePassed`` is due.
    var deadline: Duration? {
        switch phase {
        case .expected(let time), .muted(let time): time
        default: nil
        }
    }

    private var isUsed: Bool { sight.isInGraph && sight.isConnected || isShown }

    mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .seen(let new): return see(new, at: now)
        case .shown(let isShown):
            guard isShown != self.isShown else { return [] }
            self.isShown = isShown
            return isShown ? use() : release(at: now)
        case .portRequested:
            if phase == .undecided { phase = .inUse }
            return expect(at: now)
        case .showRequested:
            if phase == .undecided { phase = .exempt }
            return expect(at: now)
        case .timePassed: return timePassed(now)
        case .answered(let number, let mayEnd):
            guard phase == .asking(number) else { return [] }
            return enter(mayEnd ? .ended : .vetoed) + (mayEnd ? [.end] : [])
        }
    }

    private mutating func see(_ new: Sight, at now: Duration) -> [Action] {
        let last = sight
        sight = new
        if new.isInGraph, new.isConnected { expectedUntil = nil }
        if isUsed { return use() }
        if last.isInGraph != new.isInGraph { return expect(at: now) }
        if phase == .vetoed, last.isLauncherPresent, !new.isLauncherPresent { return mute(at: now) }
        return release(at: now)
    }

    private var isSubject: Bool { phase != .undecided && phase != .exempt && phase != .ended }

    private mutating func use() -> [Action] { isSubject ? enter(.inUse) : [] }

    /// A use has ended, perhaps the last one.
    private mutating func release(at now: Duration) -> [Action] {
        guard phase == .inUse, !isUsed else { return [] }
        if let expectedUntil, now < expectedUntil { return enter(.expected(until: expectedUntil)) }
        return sight.isInGraph ? mute(at: now) : expect(at: now)
    }

    private mutating func expect(at now: Duration) -> [Action] {
        guard isSubject, !isUsed else { return [] }
        let end = now + firstConnectionLimit * (sight.isInGraph ? 1 : Self.patienceForDaemon)
        expectedUntil = end
        return enter(.expected(until: end))
    }

    private mutating func mute(at now: Duration) -> [Action] { enter(.muted(until: now + Self.graceTime)) }

    private mutating func timePassed(_ now: Duration) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        guard case .muted = phase else { return mute(at: now) }
        questionCount += 1
        return enter(.asking(questionCount)) + [.ask(questionCount)]
    }

    private mutating func enter(_ new: Phase) -> [Action] {
        let wasMuted = isMuted
        phase = new
        return isMuted == wasMuted ? [] : [isMuted ? .mute : .unmute]
    }

    var isMuted: Bool {
        switch phase {
        case .muted, .asking, .ended: true
        default: false
        }
    }
}
