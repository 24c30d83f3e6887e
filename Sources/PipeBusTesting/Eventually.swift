// SPDX-License-Identifier: MIT
import PipeWireClient

/// Waits for something that nobody announces, by looking again and again; what can be waited for is not for this.
///
/// - Parameters:
///   - what: completes "waited … for".
///   - condition: `nil` means not yet.
/// - Throws: ``TestKitError`` when the time is up, or what the condition throws.
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

/// Waits for something to become true that nobody announces.
package func eventually(
    _ what: String, within timeout: Duration = .seconds(10), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    _ = try await eventualResult(what, within: timeout) { try await condition() ? true : nil }
}
