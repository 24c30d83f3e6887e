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

    private let connection: SessionConnection
    private var question = Question.none
    /// Number of questions: the answer to an earlier one says nothing about this one.
    private var number = 0

    init(on connection: SessionConnection) { self.connection = connection }

    /// Asks the daemon, unless it was asked since the last ``reset()``.
    ///
    /// - Parameter answered: called when the answer comes, if it does.
    func ask(at now: SuspendingClock.Instant, answered: @escaping () -> Void) -> Answer {
        switch question {
        case .answered: return .answers
        case .asked(let start): return now - start > Self.limit ? .silent : .pending
        case .none:
            question = .asked(at: now)
            number += 1
            connection.afterRoundTrip { [weak self, number] in
                guard let self, self.number == number, case .asked = self.question else { return }
                self.question = .answered
                answered()
            }
            return .pending
        }
    }

    /// Forgets the answer.
    func reset() { question = .none }
}
