// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// Takes back the last change in a history, or makes it again.
struct Repetition: Sendable {
    static let undo = Repetition(
        command: "undo", nothing: "There is nothing to undo.", take: { $0.undo() }, putBack: { $0.redo() },
        change: { $0.inverse })
    static let redo = Repetition(
        command: "redo", nothing: "There is nothing to redo.", take: { $0.redo() }, putBack: { $0.undo() },
        change: { $0 })

    private let command: String
    private let nothing: String
    private let take: @Sendable (inout ChangeHistory) -> RecordedChange?
    private let putBack: @Sendable (inout ChangeHistory) -> RecordedChange?
    private let change: @Sendable (ConnectionChange) -> ConnectionChange

    /// As a command.
    func run(_ remote: RemoteOptions) async throws {
        let watch = SignalWatch()
        let history = ChangeHistoryFile(remote: remote.name)
        try await Patchbay.with(remote) { bus in
            let made = try await perform(in: history) { change in
                try await Interruptible.run(on: bus, since: watch) { try await bus.apply(change, lingers: true) }
            }
            if made.isEmpty {
                Terminal.report("All of that is so already; nothing was changed", ["change": "none"])
            }
            ChangeReport.show(made)
        }
    }

    /// - Parameter apply: makes the change, and returns what of it was not so already.
    func perform(
        in history: ChangeHistoryFile, _ apply: @Sendable (ConnectionChange) async throws -> ConnectionChange
    ) async throws -> ConnectionChange {
        let (recorded, loss) = try history.update { take(&$0) }
        guard let recorded else { throw failure(with: loss) }
        do {
            return try await apply(change(recorded.change))
        } catch {
            // It may be done another time.
            if let problem = history.follow({ _ = putBack(&$0) }) {
                throw ToolFailure("\(ErrorText.sentence(for: error)) \(problem)")
            }
            guard let missing = error as? PipeBusError, missing.code == .unknownPort else { throw error }
            let sentence = missing.message.hasSuffix(".") ? missing.message.dropLast() : missing.message[...]
            throw ToolFailure("\(sentence), or pass over that change with \"pipebus \(command) --skip\".")
        }
    }

    private func failure(with loss: HistoryLoss?) -> ToolFailure {
        ToolFailure([loss?.sentence, nothing].compactMap(\.self).joined(separator: " "))
    }

    /// Passes over the last change, without making anything of it: the one before can be reached then.
    func skip(_ remote: RemoteOptions) throws {
        let history = ChangeHistoryFile(remote: remote.name)
        let (recorded, loss) = try history.update { history -> RecordedChange? in
            guard let recorded = take(&history) else { return nil }
            history.forget(recorded)
            return recorded
        }
        guard let recorded else { throw failure(with: loss) }
        for sentence in ChangeReport.sentences(recorded.change) {
            Terminal.report("\(sentence): passed over", ["passedOver": sentence])
        }
    }
}
