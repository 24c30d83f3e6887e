// SPDX-License-Identifier: MIT
import ArgumentParser

/// Commands that the patchbay will have. They print that they are not built yet.
protocol NotBuiltYet: AsyncParsableCommand {
    var arguments: [String] { get }
    static var instead: String { get }
}

extension NotBuiltYet {
    func validate() throws {
        throw ValidationError("\"pipebus \(Self._commandName)\" is not built yet; \(Self.instead).")
    }
}

struct WatchCommand: NotBuiltYet {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Not built yet.", shouldDisplay: false)
    static let instead = "call \"pipebus list\" again"
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}
