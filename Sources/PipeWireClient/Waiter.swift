// SPDX-License-Identifier: MIT

/// A wait for one answer, with a time limit. Confined to the loop.
///
/// The answer may come before the wait starts, and more than once. The first one counts.
package final class Waiter<Value: Sendable> {
    private var result: Result<Value, PipeWireError>?
    private var continuation: CheckedContinuation<Void, Never>?

    package init() {}

    package func resume(returning value: sending Value) { settle(.success(value)) }

    package func resume(throwing error: PipeWireError) { settle(.failure(error)) }

    private func settle(_ result: Result<Value, PipeWireError>) {
        guard self.result == nil else { return }
        self.result = result
        continuation?.resume()
        continuation = nil
    }

    /// - Parameter what: completes "waited … for".
    package func value(
        within timeout: Duration, on loop: PipeWireLoop, waitingFor what: String
    ) async throws(PipeWireError) -> Value {
        if result == nil {
            let deadline = LoopTimer(on: loop, after: timeout) { [unowned self] in
                resume(throwing: .timedOut(what: "waited \(timeout.inWords) for \(what)"))
            }
            defer { deadline.cancel() }
            await withCheckedContinuation { continuation = $0 }
        }
        return try result!.get()
    }
}
