// SPDX-License-Identifier: MIT
import PipeBus

extension AppService {
    /// The id of the app that launched this one, or asked last for one of its ports; `nil` without one.
    public var launcherID: String? { log.launcherID }

    /// Raises another app: as ``AppSwitcher/show(_:activationToken:timeout:)``.
    public func show(_ id: String, activationToken: String? = nil, timeout: Duration = .seconds(5)) async throws {
        try await AppSwitcher(for: client).show(id, activationToken: activationToken, timeout: timeout)
    }

    /// Goes back to the app that launched this one: raises it.
    ///
    /// - Parameters:
    ///   - activationToken: what the window system gave this app for the user's click or key.
    ///   - timeout: time limit for the answer.
    /// - Throws: ``PipeBusError`` `unknownApp` if no app has launched this one; otherwise as ``show(_:activationToken:timeout:)``.
    public func showLauncher(activationToken: String? = nil, timeout: Duration = .seconds(5)) async throws {
        guard let id = launcherID else {
            throw PipeBusError(
                .unknownApp, "No app has launched this one, so there is none to go back to; name the app to show.")
        }
        try await show(id, activationToken: activationToken, timeout: timeout)
    }
}
