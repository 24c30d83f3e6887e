// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// A render that a signal may end.
enum RenderRun {
    /// - Throws: an exit code, as of a command that a signal has ended, and then the render may go on until its cycle is over;
    ///   or what the render throws.
    static func run(_ render: Render, until watch: SignalWatch) async throws -> Render.Result {
        let (outcomes, outcome) = AsyncStream.makeStream(of: Result<Render.Result, any Error>.self)
        let work = Task {
            do { outcome.yield(.success(try await render.run())) } catch { outcome.yield(.failure(error)) }
        }
        let poll = Task {
            while watch.signal == nil { try await Task.sleep(for: .milliseconds(20)) }
            outcome.yield(.failure(ExitCode(128 + (watch.signal ?? 0))))
        }
        let notices = Task {
            for await notice in render.stage.bus.notices where notice.kind == .invalidSamples {
                Terminal.complain(notice.message, as: "pipebus")
            }
        }
        defer {
            notices.cancel()
            poll.cancel()
        }
        for await result in outcomes {
            work.cancel()
            return try result.get()
        }
        throw CancellationError()
    }
}
