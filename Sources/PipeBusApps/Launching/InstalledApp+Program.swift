// SPDX-License-Identifier: MIT
package import DesktopSupport
import PipeBus

extension InstalledApp {
    /// Starts a further process of the app by the `Exec` line of its entry, also where D-Bus would start the app.
    ///
    /// It is not noted as the app's: a launch in the user's own graph starts another one.
    ///
    /// - Parameters:
    ///   - port: the one that is wanted; `nil` for the app as a whole.
    ///   - launcher: the id and the name of the client that asks.
    ///   - remote: the path of the daemon's socket.
    /// - Throws: ``LaunchFailure`` `wouldNotStart`.
    package func startProgram(
        for port: String?, launcher: (id: String, name: String), remote: String
    ) async throws -> StartedProgram {
        let launch = AppLaunch(launcherID: launcher.id, launcherName: launcher.name, port: port, remote: remote)
        do {
            return try await StartedProgram.start(entryAt: entryPath, environment: launch.environment)
        } catch let error as GLibError {
            throw LaunchFailure.wouldNotStart(app: name, reason: error.message)
        }
    }
}
