// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// One exchange of sources at one of our own filters. Confined to the loop.
///
/// PipeWire adds up what is linked to a filter's input. So the filter hears a tap of its former input while the links change.
final class FilterExchange {
    /// The parts of the session that an exchange needs.
    struct Parts {
        let connection: SessionConnection
        let model: GraphModel
        let ports: PortTable
        let links: LinkTable
        let taps: InputTapMaker
        let notices: NoticeLog
    }

    let request: ExchangeRequest
    /// Whether a call of this app waits for it.
    let isOwn: Bool
    private enum Wish { case none, exchange, cancellation }
    private var wish = Wish.none
    private let port: LivePort
    private let parts: Parts
    private var tap: InputTap?
    private var isClosed = false
    private var isDisconnectingOld = false
    private var isAnnounced = false
    /// The time at which it is given up if nobody has requested it.
    private var expiry = ContinuousClock.Instant.now
    /// The age of the input before the new sources came, in frames.
    private var oldLatency = 0
    private var progress = FrameProgress()

    private static let interval: Duration = .milliseconds(2)
    /// The time within which the tap must have the sound of the input.
    private static let preparation: Duration = .seconds(2)

    init(of request: ExchangeRequest, at port: LivePort, _ parts: Parts, isOwn: Bool) {
        self.request = request
        self.isOwn = isOwn
        self.port = port
        self.parts = parts
    }

    /// Whether nobody has requested the exchange yet.
    var isWaiting: Bool { wish == .none && !isClosed }

    /// Whether links may change now, unheard.
    var isHeld: Bool { isAnnounced && wish == .none && !isClosed }

    /// Goes on for another patchbay with the same request.
    func renew() { expiry = .now.advanced(by: SourceExchanges.longestHold) }

    /// Whether one of these sources comes or leaves by it.
    func concerns(_ other: ExchangeRequest) -> Bool {
        !Set(request.new + request.old).isDisjoint(with: other.new + other.old)
    }

    /// Exchanges the sources as soon as the new ones sound. Idempotent.
    func perform() { if wish == .none { wish = .exchange } }

    /// Gives the exchange up. Nothing is removed. Idempotent.
    func cancel() { if wish == .none { wish = .cancellation } }

    /// Removes the tap at once. Idempotent.
    func close() {
        isClosed = true
        port.setTapping(false)
        tap?.close()
        tap = nil
    }

    // MARK: The course

    /// Takes the exchange to its end.
    func run() async {
        guard isGoingOn, wish != .cancellation else { return close() }
        await prepare()
        if isGoingOn, wish != .cancellation {
            // Without a tap too: the links may change now.
            announce(request.text)
            renew()
            await poll(until: { wish != .none || areOldGone || .now >= expiry })
            // Nobody may take it for the answer to another request.
            if wish != .exchange {
                cancel()
                announce("")
            }
        }
        // For sources that have not come, or have gone again, nothing leaves.
        if wish == .exchange {
            await warmUp()
            if areNewConnected { await disconnectOld() }
        }
        await returnToInput()
        await dropTap()
        if isGoingOn { announce("") }
        close()
    }

    private var isGoingOn: Bool { !isClosed && parts.connection.isOpen }

    private func prepare() async {
        oldLatency = port.inputLatency(in: parts.ports.cycleSize)
        // Nobody hears a filter without a destination.
        guard port.isActive, !isInLoop else { return }
        let deadline = ContinuousClock.now.advanced(by: Self.preparation)
        do {
            let tap = try await parts.taps.make(of: port)
            guard isGoingOn else { return tap.close() }
            self.tap = tap
            let memory = port.declared.tapMemory()
            try await tap.connect(by: deadline)
            guard isGoingOn else { return }
            memory.begin()
            port.setTapping(true)
            await poll(until: { memory.state == .tapped || .now >= deadline || wish == .cancellation })
            if memory.state != .tapped { await dropTap() }
        } catch {
            await dropTap()
        }
    }

    /// Whether the filter's sound comes back to it: the tap's would come another cycle late.
    private var isInLoop: Bool {
        let snapshot = parts.model.snapshot
        return snapshot.sources(of: port.id).contains { snapshot.wouldCloseLoop(from: $0.id, to: port.id) == .yes }
    }

    /// Waits for what is upstream of the new sources, and for the latency that they add.
    private func warmUp() async {
        let start = frameCount
        let cycle = parts.ports.cycleSize
        let rate = max(port.sampleRate, 8000)
        await poll(until: {
            let added = max(port.inputLatency(in: cycle) - oldLatency, 0)
            let frames = added + 4 * (cycle?.frameCount ?? 1024) + rate / 20
            return tap == nil || areOldGone || !areNewConnected || frameCount >= start &+ UInt64(frames)
        })
    }

    private func disconnectOld() async {
        let deadline = ContinuousClock.now.advanced(by: .seconds(2))
        isDisconnectingOld = true
        for old in request.old {
            for link in parts.model.snapshot.connection(from: old, to: port.id)?.links ?? [] {
                try? parts.links.destroy(id: link.id)
            }
        }
        await poll(until: { areOldGone || .now >= deadline })
        if isGoingOn, !areOldGone { reportKept() }
    }

    /// Fades from the tap to the input.
    private func returnToInput() async {
        guard isGoingOn, tap != nil else { return }
        // The last buffers of what was disconnected a moment ago leave with the messages that come before the answer to this.
        try? await parts.connection.roundTrip()
        let end = frameCount &+ 2 * UInt64(max(parts.ports.cycleSize?.frameCount ?? 0, 1))
        await poll(until: { tap == nil || frameCount >= end })
        guard isGoingOn, tap != nil else { return }
        let memory = port.declared.tapMemory()
        memory.end()
        await poll(until: { tap == nil || memory.state == .ended })
    }

    // MARK: Helpers

    /// Looks again and again, until something is so or there is no going on. The audio thread cannot notify the control side.
    private func poll(until isDone: () -> Bool) async {
        while isGoingOn, !isDone() {
            tap?.follow(except: isDisconnectingOld ? request.old : [])
            // What holds the tap up holds the filter up.
            if let tap, !port.isActive || tap.isLost || progress.stands(at: frameCount) { await dropTap() }
            await parts.connection.sleep(for: Self.interval)
        }
    }

    private func dropTap() async {
        guard let tap else { return }
        port.setTapping(false)
        await tap.remove()
        self.tap = nil
    }

    private func announce(_ text: String) {
        guard text.isEmpty == isAnnounced else { return }
        isAnnounced = !text.isEmpty
        // An error means that the node is being removed, and the property with it.
        if parts.connection.isOpen { try? port.setProperties([(PipeBusProperty.heldExchange, text)]) }
        // Calls of this app wait for it.
        parts.connection.wakeWaits()
    }

    private func reportKept() {
        parts.notices.post(
            Notice(
                kind: .requestRefused, port: port.name,
                message:
                    "\(port.title) could not disconnect a source that was exchanged for another one; both are heard now."
            ))
    }

    private var frameCount: UInt64 { port.declared.statistics.frames }

    private var areNewConnected: Bool { request.new.allSatisfy(isConnected) }
    private var areOldGone: Bool { !request.old.contains(where: isConnected) }

    private func isConnected(_ source: GraphPort.ID) -> Bool {
        parts.model.snapshot.connection(from: source, to: port.id) != nil
    }
}
