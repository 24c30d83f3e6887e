// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTesting

/// Faults that meet others.
extension Soak {
    func doSeveral() async throws -> ContinuousClock.Instant? {
        let chosen = victims.shuffled(using: &random).prefix(2)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let gap = Int.random(in: 0...1200, using: &random)
            note(.several, "the daemon is killed twice, \(gap) ms after it is back")
            _ = try await restartDaemon(by: SIGKILL)
            try await pause(.milliseconds(gap))
            return try await restartDaemon(by: SIGKILL)
        case 1:
            note(.several, "the daemon is killed while \(chosen[0].name) is stopped")
            chosen[0].process?.signal(SIGSTOP)
            // Sometimes the others have noticed it.
            try await pause(.milliseconds(Int.random(in: 0...1000, using: &random)))
            _ = try await restartDaemon(by: SIGKILL)
            try await pause(.milliseconds(Int.random(in: 0...1500, using: &random)))
            chosen[0].process?.signal(SIGCONT)
        case 2:
            note(.several, "stopped and continued: \(chosen.map(\.name))")
            for app in chosen {
                app.process?.signal(SIGSTOP)
                try await pause(.milliseconds(Int.random(in: 0...600, using: &random)))
            }
            for app in chosen {
                app.process?.signal(SIGCONT)
                try await pause(.milliseconds(Int.random(in: 0...600, using: &random)))
            }
        default:
            let first = try await destroyNode()
            let second = try await destroyNode()
            return first == nil ? second : first
        }
        return .now
    }
}
