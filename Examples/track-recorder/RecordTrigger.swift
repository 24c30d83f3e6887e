// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The recorder's trigger `record`: shows other apps whether sound is recorded, begins an armed recording, and ends one.
///
/// | state | title | recorder | a press |
/// | --- | --- | --- | --- |
/// | `alternate` | Record | is armed | begins the recording |
/// | `alternate` | Waiting for sound | waits for the first cycle with a source | changes nothing: the recording begins with that cycle |
/// | `selected` | Record | records | ends the recording |
///
/// The state of the first two is the same, so a press while it is `alternate` never ends a recording: two presses at once begin one.
///
/// - Thread: any.
final class RecordTrigger: Sendable {
    private enum Phase {
        case armed, waiting, recording, over
    }

    private struct State {
        var phase: Phase
        var failure: (any Error)?
    }

    private let state: Mutex<State>
    private let progress: RecordingProgress
    private let begin: @Sendable () throws -> Void
    private let end: @Sendable () async -> Void

    /// - Parameters:
    ///   - begin: begins an armed recording.
    ///   - end: ends the recording and the recorder.
    init(
        _ progress: RecordingProgress, begin: @escaping @Sendable () throws -> Void,
        end: @escaping @Sendable () async -> Void
    ) {
        self.progress = progress
        self.begin = begin
        self.end = end
        state = Mutex(State(phase: progress.isArmed ? .armed : .waiting))
    }

    /// The reason why an armed recording could not begin, if it could not.
    var failure: (any Error)? { state.withLock(\.failure) }

    /// Adds the trigger to the app. It is gone with the app, so when the recording is over.
    func add(to bus: BusClient) async throws -> LocalTrigger {
        let trigger = try await bus.addTrigger(.record, face: Self.face("Record"), state: .alternate) { [self] _ in
            await press()
        }
        if !progress.isArmed { try await showWaiting(trigger) }
        return trigger
    }

    /// Shows on the trigger what the recorder does, until it records. Returns then, or when the task is cancelled.
    func follow(_ trigger: LocalTrigger) async {
        var isWaiting = !progress.isArmed
        // The audio thread cannot call anything, so this polls.
        while progress.sampleRate == 0 {
            if !isWaiting, progress.capture != nil {
                isWaiting = true
                try? await showWaiting(trigger)
            }
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
        }
        // First: whoever sees the state can end the recording.
        state.withLock { if $0.phase == .waiting { $0.phase = .recording } }
        // A closed client has no trigger any more.
        try? await trigger.setState(.selected)
    }

    /// Whoever sees it knows that the next cycle with a source is recorded.
    private func showWaiting(_ trigger: LocalTrigger) async throws {
        try await trigger.setFace(Self.face("Waiting for sound"), in: .alternate)
    }

    private static func face(_ title: String) -> TriggerFace { TriggerFace(title: title, iconName: "media-record") }

    private func press() async {
        let phase = state.withLock { state in
            let phase = state.phase
            switch phase {
            case .armed: state.phase = .waiting
            case .recording: state.phase = .over
            case .waiting, .over: break
            }
            return phase
        }
        switch phase {
        case .armed:
            do { try begin() } catch {
                state.withLock { $0.failure = error }
                await end()
            }
        case .recording: await end()
        case .waiting, .over: break
        }
    }
}
