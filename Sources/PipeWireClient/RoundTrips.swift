// SPDX-License-Identifier: MIT

/// The round trips of a connection: waits until the daemon has handled everything that was sent before. Confined to the loop.
final class RoundTrips {
    private let loop: PipeWireLoop
    /// By the sequence number that the daemon's answer has.
    private var waiters: [Int32: Waiter<Void>] = [:]
    private var actions: [Int32: () -> Void] = [:]
    /// The number of the daemon's messages so far.
    private var received = 0
    /// That number when a wait for the daemon last was in vain.
    private var receivedBeforeSilence: Int?

    private static let answer = "the PipeWire daemon to answer"
    /// A wait that ends sooner says nothing about the daemon.
    private static let leastSilence: Duration = .milliseconds(500)

    init(on loop: PipeWireLoop) { self.loop = loop }

    /// Whether the daemon has sent nothing since a wait for it was in vain.
    var isSilent: Bool { receivedBeforeSilence == received }

    // MARK: Waiting

    /// Waits for the answer with a sequence number.
    ///
    /// - Parameters:
    ///   - timeout: time limit for the answer.
    ///   - silence: time limit for the daemon to send anything at all.
    func wait(for sequence: Int32, within timeout: Duration, silence: Duration?) async throws(PipeWireError) {
        let waiter = Waiter<Void>()
        waiters[sequence] = waiter
        let watch = silence.map { endAtSilence(waiter, of: $0) }
        defer {
            watch?.cancel()
            waiters[sequence] = nil
        }
        let start = ContinuousClock.now
        do throws(PipeWireError) {
            try await waiter.value(within: timeout, on: loop, waitingFor: Self.answer)
        } catch {
            if case .timedOut = error, start.duration(to: .now) >= Self.leastSilence {
                receivedBeforeSilence = received
            }
            throw error
        }
    }

    /// Ends a wait when the daemon has sent nothing for that time.
    private func endAtSilence(_ waiter: Waiter<Void>, of silence: Duration) -> LoopTimer {
        var seen = received
        weak var timer: LoopTimer?
        let watch = LoopTimer(on: loop, after: silence) { [unowned self, unowned waiter] in
            guard received == seen else {
                seen = received
                timer?.arm(after: silence)
                return
            }
            waiter.resume(throwing: .timedOut(what: "waited \(silence.inWords) for \(Self.answer)"))
        }
        timer = watch
        return watch
    }

    /// Calls back at the answer with a sequence number; never if the connection ends before.
    func after(_ sequence: Int32, _ action: @escaping () -> Void) { actions[sequence] = action }

    // MARK: Events

    /// The daemon has sent something.
    func messageReceived() { received += 1 }

    func answered(_ sequence: Int32) {
        waiters[sequence]?.resume(returning: ())
        actions.removeValue(forKey: sequence)?()
    }

    /// Ends all waits, because the connection has ended. Idempotent.
    func fail(with error: PipeWireError) {
        for waiter in waiters.values { waiter.resume(throwing: error) }
        actions = [:]
    }
}
