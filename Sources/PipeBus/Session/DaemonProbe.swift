// SPDX-License-Identifier: MIT

/// Finds out whether the daemon answers. Confined to the loop.
final class DaemonProbe {
    enum Answer { case pending, answers, silent }

    private enum Question {
        case none
        case asked(at: SuspendingClock.Instant)
        case answered
    }

    /// The time after which the daemon counts as silent.
    private static let limit: Duration = .seconds(1)
    /// The time from which an answer is late: the daemon did not run meanwhile.
    private static let longestAnswer: Duration = .milliseconds(200)

    private let connection: SessionConnection
    private var question = Question.none
    /// Number of questions: the answer to an earlier one says nothing about this one.
    private var number = 0

    init(on connection: SessionConnection) { self.connection = connection }

    /// Asks the daemon, unless it was asked since the last ``reset()``.
    ///
    /// - Parameter answered: called when the answer comes, if it does, with whether it is late.
    func ask(at now: SuspendingClock.Instant, answered: @escaping (_ isLate: Bool) -> Void) -> Answer {
        switch question {
        case .answered: return .answers
        case .asked(let start): return now - start > Self.limit ? .silent : .pending
        case .none:
            question = .asked(at: now)
            number += 1
            connection.afterRoundTrip { [weak self, number] in
                guard let self, self.number == number, case .asked(let start) = self.question else { return }
                self.question = .answered
                answered(SuspendingClock.now - start > Self.longestAnswer)
            }
            return .pending
        }
    }

    /// Forgets the answer.
    func reset() { question = .none }
}
