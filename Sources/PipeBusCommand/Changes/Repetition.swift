// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The common part of `undo` and `redo`.
enum Repetition {
    static func run(
        _ remote: RemoteOptions, nothing: String, take: @escaping @Sendable (inout ChangeHistory) -> RecordedChange?,
        putBack: @escaping @Sendable (inout ChangeHistory) -> RecordedChange?,
        change: @Sendable (ConnectionChange) -> ConnectionChange
    ) async throws {
        let watch = SignalWatch()
        let history = ChangeHistoryFile(remote: remote.name)
        try await Patchbay.with(remote) { bus in
            guard let recorded = try history.update({ take(&$0) }) else { throw ToolFailure(nothing) }
            do {
                let change = change(recorded.change)
                let made = try await Interruptible.run(on: bus, since: watch) {
                    try await bus.apply(change, lingers: true)
                }
                if made.isEmpty {
                    Terminal.report("All of that is so already; nothing was changed", ["change": "none"])
                }
                ChangeReport.show(made)
            } catch let error as PipeBusError where error.code == .unknownPort {
                // Otherwise the changes before it could never be reached.
                try history.update { $0.forget(recorded) }
                throw error
            } catch {
                // It may be done another time.
                _ = try history.update { putBack(&$0) }
                throw error
            }
        }
    }
}
