// SPDX-License-Identifier: MIT
import Foundation

/// Waits until a condition holds, and throws when it does not in time.
func wait(upTo seconds: Double, for what: String, until condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw BenchError("Waited \(Int(seconds)) s in vain for \(what).") }
        Thread.sleep(forTimeInterval: 0.01)
    }
}
