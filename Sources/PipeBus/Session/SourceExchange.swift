// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// One exchange of sources at one of our own receivers. Confined to the loop.
///
/// It polls the audio thread, which cannot notify the control side.
final class SourceExchange {
    private enum Step {
        /// The new sources come, and are silent.
        case holding
        /// They are connected. Their sound comes through what is upstream of them, until the receiver has had so many frames.
        case warmingUp(until: UInt64)
        /// The old ones are faded out.
        case fading(until: ContinuousClock.Instant)
        /// The daemon removes their links.
        case leaving(until: ContinuousClock.Instant)
        case ended
    }

    let request: ExchangeRequest
    /// Whether all new sources are connected, and are to be heard.
    private var isRequested = false
    /// Whether another exchange takes old sources of this one. Then its new ones are not heard, and leave.
    private var isBeaten = false
    private let port: LivePort
    private let control: ReceiverControl
    private let connection: SessionConnection
    private let model: GraphModel
    private let links: LinkTable
    private let levels: LevelKeeper
    private let notices: NoticeLog
    private let timer: PollTimer
    private let cancellationTime: ContinuousClock.Instant
    private var step = Step.holding
    private var progress = FrameProgress()

    private static let interval: Duration = .milliseconds(2)

    /// - Parameter cancellationTime: when the new sources are heard beside the old ones if nobody has requested the exchange.
    init(
        of request: ExchangeRequest, at port: LivePort, _ control: ReceiverControl, on connection: SessionConnection,
        _ model: GraphModel, _ links: LinkTable, _ levels: LevelKeeper,
        notices: NoticeLog, cancelledAt cancellationTime: ContinuousClock.Instant
    ) {
        self.request = request
        self.port = port
        self.control = control
        self.connection = connection
        self.model = model
        self.links = links
        self.levels = levels
        self.notices = notices
        self.cancellationTime = cancellationTime
        timer = connection.makePollTimer()
    }

    var isRunning: Bool { if case .ended = step { false } else { true } }

    /// Whether nobody has requested the exchange yet.
    var isWaiting: Bool { if case .holding = step { !isRequested } else { false } }

    /// Whether both let any of the same sources leave.
    func isRival(of other: ExchangeRequest) -> Bool {
        request != other && !Set(request.old).isDisjoint(with: other.old)
    }

    /// Gives way to another exchange, of which nobody has requested this one yet. Idempotent.
    func giveWay() { isBeaten = true }

    /// Whether it lets any of these sources come.
    func concerns(_ sources: [GraphPort.ID]) -> Bool { !Set(request.new).isDisjoint(with: sources) }

    func start() {
        control.holdWhenConnected(request.new.map(\.serial))
        timer.start(after: Self.interval) { [unowned self] in
            guard connection.isOpen, isRunning else { return nil }
            poll()
            return isRunning ? Self.interval : nil
        }
    }

    /// Exchanges the sources as soon as the new ones sound. Idempotent.
    func perform() { isRequested = true }

    /// Lets the new sources be heard, beside the old ones, unless another exchange has those. Idempotent.
    func cancel() {
        guard isRunning else { return }
        if isBeaten {
            disconnect(request.new)
            return end()
        }
        setHeld(false, request.new)
        setHeld(false, request.old)
        control.publish()
        end()
    }

    private func end() {
        control.endHold(of: request.new.map(\.serial))
        step = .ended
    }

    private func poll() {
        switch step {
        case .holding:
            if isBeaten {
                // Not before, because its patchbay makes links meanwhile.
                return isRequested || ContinuousClock.now >= cancellationTime ? cancel() : ()
            }
            // For sources that have not come, or have gone again, nothing leaves.
            if isRequested { return areNewConnected ? warmUp() : cancel() }
            if areOldGone || ContinuousClock.now >= cancellationTime { cancel() }
        case .warmingUp(let end):
            if !areNewConnected { return cancel() }
            if areOldGone || isStandingStill || port.declared.statistics.frames >= end { swap() }
        case .fading(let deadline):
            if !areNewConnected { return cancel() }
            if areOldSilent || ContinuousClock.now >= deadline { disconnect() }
        case .leaving(let deadline):
            if areOldGone { end() } else if .now >= deadline { keepOld() }
        case .ended: break
        }
    }

    // MARK: Steps

    private func warmUp() {
        takeOverLevel()
        let cycle = control.memory.cycle
        let rate = cycle?.sampleRate ?? 48_000
        let added = max((latency(of: request.new) ?? 0) - (latency(of: request.old) ?? 0), 0)
        // Some cycles, for what is upstream to run; the latency that the new ones add; and what the reports of latencies and the
        // crossfade to another delay take.
        let frames = added + 4 * (cycle?.frameCount ?? 1024) + rate / 20
        step = .warmingUp(until: port.declared.statistics.frames &+ UInt64(frames))
    }

    /// Exchanges all in one cycle: the audio thread gets the settings of all lanes at once.
    private func swap() {
        // What shares its lane with another source cannot be faded alone.
        setHeld(true, request.old)
        setHeld(false, request.new)
        control.publish()
        let cycle = control.memory.cycle
        let length = cycle.map { 4 * Double($0.frameCount) / Double(max($0.sampleRate, 1)) } ?? 0
        step = .fading(
            until: .now.advanced(by: .microseconds(control.fade.microseconds) + .seconds(length) + .milliseconds(50)))
    }

    private func disconnect() {
        step = .leaving(until: .now.advanced(by: .seconds(2)))
        disconnect(request.old)
    }

    private func disconnect(_ sources: [GraphPort.ID]) {
        for source in sources {
            for link in model.snapshot.connection(from: source, to: port.id)?.links ?? [] {
                try? links.destroy(id: link.id)
            }
        }
    }

    /// Lets the old ones be heard again, beside the new ones, because their links stay.
    private func keepOld() {
        cancel()
        notices.post(
            Notice(
                kind: .requestRefused, port: port.name,
                message:
                    "\(port.title) could not disconnect a source that was exchanged for another one; both are heard now."
            ))
    }

    // MARK: Facts

    private func setHeld(_ isHeld: Bool, _ sources: [GraphPort.ID]) {
        for source in sources {
            guard let lane = control.lane(of: source), control.lanes[lane].linkSummary?.isShared == false else {
                continue
            }
            control.setHeld(isHeld, lane: lane)
        }
    }

    /// The level belongs to the place in the mix: an effect that is put into a connection does not change it.
    private func takeOverLevel() {
        guard !port.declaration.isSeparate else { return }
        let old = request.old.compactMap(control.lane(of:)).map { control.lanes[$0].level }
        guard let level = old.first, old.allSatisfy({ $0 == level }) else { return }
        for lane in request.new.compactMap(control.lane(of:)) where control.lanes[lane].level != level {
            levels.setLevel(level, ofLane: lane, at: port, control)
        }
    }

    private func latency(of sources: [GraphPort.ID]) -> Int? {
        sources.compactMap(control.lane(of:)).map { control.lanes[$0].latency.upperBound }.max()
    }

    private var areNewConnected: Bool { request.new.allSatisfy { control.lane(of: $0) != nil } }

    private var areOldGone: Bool { request.old.allSatisfy { control.lane(of: $0) == nil } }

    private var areOldSilent: Bool {
        request.old.compactMap(control.lane(of:)).allSatisfy {
            control.lanes[$0].linkSummary?.isShared != false
                || control.memory.fadedOutGeneration(ofLane: $0) == control.lanes[$0].sourceGeneration
        }
    }

    private var isStandingStill: Bool { progress.stands(at: port.declared.statistics.frames) }
}
