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
    ///   - folder: where a copy of the entry may be written. It is the caller's to remove.
    /// - Throws: ``LaunchFailure`` `wouldNotStart`.
    package func startProgram(
        for port: String?, launcher: (id: String, name: String), remote: String, copyingEntryTo folder: String
    ) async throws -> StartedProgram {
        let launch = AppLaunch(launcherID: launcher.id, launcherName: launcher.name, port: port, remote: remote)
        do {
            let path = isDBusActivatable ? try copyEntry(to: folder) : entryPath
            return try await StartedProgram.start(entryAt: path, environment: launch.environment)
        } catch let error as GLibError {
            throw LaunchFailure.wouldNotStart(app: name, reason: error.message)
        } catch let error as DesktopError {
            throw LaunchFailure.wouldNotStart(app: name, reason: error.message)
        }
    }

    /// Writes a copy of the entry that D-Bus has no part in: GIO asks the bus whenever the entry does, and the bus would give the
    /// request to the process that runs already.
    private func copyEntry(to folder: String) throws -> String {
        let entry = try EntryFile(path: entryPath).read()
        guard entry.has(EntryKey.exec, in: EntryKey.group) else {
            throw LaunchFailure.wouldNotStart(
                app: name, reason: "its desktop entry has no Exec line, so that only D-Bus can start it")
        }
        entry.remove(EntryKey.dbusActivatable, in: EntryKey.group)
        let copy = EntryFile(path: "\(folder)/\(id).desktop")
        try copy.replace(with: entry.text)
        return copy.path
    }
}
