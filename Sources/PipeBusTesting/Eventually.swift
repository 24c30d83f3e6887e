// SPDX-License-Identifier: MIT
import PipeWireClient

/// Polls until a condition has a result. For changes without a notification only.
///
/// - Parameters:
///   - what: completes "waited … for".
///   - condition: `nil` means not yet.
/// - Throws: ``TestKitError`` on timeout, or the condition's error.
package func eventualResult<Result>(
    _ what: String, within timeout: Duration = .seconds(10), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Result?
) async throws -> Result {
    let deadline = ContinuousClock.now.advanced(by: timeout)
    while true {
        if let result = try await condition() { return result }
        guard ContinuousClock.now < deadline else { throw TestKitError("Waited \(timeout.inWords) for \(what).") }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Polls until a condition is true. For changes without a notification only.
package func eventually(
    _ what: String, within timeout: Duration = .seconds(10), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    _ = try await eventualResult(what, within: timeout) { try await condition() ? true : nil }
}
