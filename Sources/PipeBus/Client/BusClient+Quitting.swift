// SPDX-License-Identifier: MIT
public import ConnectionGraph

extension BusClient {
    /// Decides what this app does when another one asks it to end, as a patchbay does for its user.
    ///
    /// Without this call an app ends that waits in ``runUntilSignal(since:beforeClosing:)`` or ``waitForSignal(since:)``, and any other refuses.
    ///
    /// ```swift
    /// await bus.answerQuitRequests { _ in await song.isSaved ? .quit : .refuse(because: "the song is not saved") }
    /// ```
    ///
    /// - Parameter answer: called for each request, outside the client's thread. After ``QuitRequest/Answer/quit`` an app that waits for no signal
    ///   ends by itself, and closes its client. The user was asked already, where the request came from.
    public func answerQuitRequests(_ answer: @escaping @Sendable (QuitRequest) async -> QuitRequest.Answer) {
        quitAnswer = answer
    }

    /// Asks an app to end, and returns when it has left the graph. It may refuse.
    ///
    /// - Parameter timeout: time limit for the answer and the end.
    /// - Throws: ``PipeBusError`` `refused` with the app's reason; `timedOut`, with whether it wanted to end; `notSupported` for an app that is none
    ///   of PipeBus; `unknownApp`, `noPermission`, `connectionLost`, `closed`.
    public func quit(_ peer: Peer.ID, timeout: Duration = .seconds(10)) async throws {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        try await cancellable(by: .now) { session in try await session.quitRequests.quit(peer, by: deadline) }
    }

    /// Asks the app, and passes its answer on. Called on the loop.
    func quitRequested(_ request: QuitRequest, number: Int) {
        if let quitAnswer {
            Task {
                let answer = await quitAnswer(request)
                self.answer(request, number: number, answer)
            }
        } else {
            answer(
                request, number: number,
                termination.hasWaiters ? .quit : .refuse(because: "the app takes no requests to end"))
        }
    }

    private func answer(_ request: QuitRequest, number: Int, _ answer: QuitRequest.Answer) {
        session?.quitRequests.answer(number, answer)
        guard answer == .quit else { return }
        requestedEnding = .quitRequested(request)
        termination.wake()
    }
}
