// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// A render that ends also when a signal wants that, or the program of a filter has ended: a cycle that a filter does not finish
/// holds up the graph, and nobody waits for that.
enum RenderRun {
    /// - Throws: an exit code, as of a command that a signal has ended; ``ToolFailure``; or what the render throws. The render may
    ///   go on until its cycle is over.
    static func run(_ render: Render, until watch: SignalWatch) async throws -> Render.Result {
        let (outcomes, outcome) = AsyncStream.makeStream(of: Result<Render.Result, any Error>.self)
        let work = Task { outcome.yield(await Result { () async throws in try await render.run() }) }
        let poll = Task {
            while true {
                if let signal = watch.signal { return outcome.yield(.failure(ExitCode(128 + signal))) }
                do { try render.stage.checkFilters() } catch { return outcome.yield(.failure(error)) }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        defer {
            work.cancel()
            poll.cancel()
        }
        for await result in outcomes {
            guard case .failure(let error) = result, error is RenderBreak || error is PipeBusError else {
                return try result.get()
            }
            throw try await cause(of: error, in: render)
        }
        throw CancellationError()
    }

    /// - Throws: ``ToolFailure`` of a filter whose program has ended.
    private static func cause(of error: any Error, in render: Render) async throws -> any Error {
        for _ in 0..<50 {
            try render.stage.checkFilters()
            if let name = render.stage.endedFilter {
                return ToolFailure("\(name) ended while it played; start it by hand to see why.")
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return (error as? RenderBreak).map { ToolFailure($0.sentence) } ?? error
    }
}
