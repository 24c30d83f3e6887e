// SPDX-License-Identifier: MIT
import PipeWireClient

/// Publishes that the system sleeps, or that this process was stopped. Confined to the loop.
///
/// | sign | while nothing is connected | state |
/// | --- | --- | --- |
/// | logind's signal on the system bus | yes | interrupted from before the sleep until after it |
/// | CLOCK_BOOTTIME has got ahead of CLOCK_MONOTONIC | yes, the kernel tells when | interrupted and running, afterwards |
/// | the control side, or the thread that looks at blocks, was woken too late | no: nothing was interrupted | interrupted and running, afterwards |
final class SuspensionWatch {
    /// The time after which a system that was about to sleep, and did not tell that it woke up, counts as awake. It is
    /// time on CLOCK_MONOTONIC, which stands during the sleep. Programs may delay a sleep by five seconds.
    private static let limit: Duration = .seconds(30)
    /// The time for which a signal may be late after a sleep that the clocks have shown already.
    private static let lateness: Duration = .seconds(10)

    private let loop: PipeWireLoop
    private let publisher: StatePublisher
    private let blockWatch: BlockWatch
    private let readClocks: @Sendable () -> SystemClocks?
    private let timer: PollTimer
    private var detector = SuspensionDetector()
    private var wakeUps: WakeUpWatch?
    /// Whether the system is about to sleep, sleeps, or has just woken up.
    private var isSleeping = false
    /// When the clocks last showed a sleep, on CLOCK_MONOTONIC.
    private var lastSleep: Duration?
    /// Called when the system has woken up.
    private let awoke: () -> Void

    init(
        on loop: PipeWireLoop, jobs: JobQueue, publisher: StatePublisher, blockWatch: BlockWatch,
        readClocks: @escaping @Sendable () -> SystemClocks?, awoke: @escaping () -> Void
    ) {
        self.loop = loop
        self.publisher = publisher
        self.blockWatch = blockWatch
        self.readClocks = readClocks
        self.awoke = awoke
        timer = PollTimer(on: loop, jobs: jobs)
        _ = updateClocks()
        // In a job, because nothing may be destroyed inside the callback.
        wakeUps = WakeUpWatch(on: loop) { [unowned self] in jobs.add { [weak self] in self?.check() } }
    }

    // MARK: Signals of the system

    /// logind's signal.
    func systemSleeps(_ isAboutToSleep: Bool) {
        let slept = updateClocks()
        report(slept)
        guard isAboutToSleep else { return end() }
        // The signal of a sleep that is over already, and that the clocks have shown.
        guard slept == nil else { return }
        if let lastSleep, let now = readClocks()?.monotonic, now - lastSleep < Self.lateness { return }
        isSleeping = true
        publisher.publishSuspension(.systemSleeps)
        timer.stop()
        timer.start(after: Self.limit) { [unowned self] in
            end()
            return nil
        }
    }

    /// The bus is gone: nobody will tell when the system has woken up.
    func busEnded() { end() }

    // MARK: Signs

    /// Looks at the clocks.
    func check() { report(updateClocks()) }

    /// Looks at the clocks, and whether this process did not run.
    ///
    /// - Parameter played: the duration of the sound that the process has processed since the last call.
    func check(played: Duration) {
        check()
        let (overdue, lateWake) = (loop.takeOverdue(), blockWatch.takeLateWake())
        guard !isSleeping,
            let stop = detector.stop(overdue: overdue, lateWake: lateWake, played: played, at: .now)
        else { return }
        publishOnce(.processStopped(for: stop))
    }

    /// Forgets timers that came late while nothing was connected.
    func forget() { _ = loop.takeOverdue() }

    private func updateClocks() -> Duration? { readClocks().flatMap { detector.update($0) } }

    private func report(_ slept: Duration?) {
        guard let slept else { return }
        lastSleep = readClocks()?.monotonic
        guard !isSleeping else { return end() }
        publishOnce(.systemSlept(for: slept))
        awoke()
    }

    private func publishOnce(_ reason: StateReason) {
        publisher.publishSuspension(reason)
        publisher.publishSuspension(nil)
    }

    private func end() {
        guard isSleeping else { return }
        isSleeping = false
        timer.stop()
        awoke()
        publisher.publishSuspension(nil)
    }

    /// Ends the watch. Not inside a callback.
    func close() {
        timer.stop()
        wakeUps = nil
    }
}
