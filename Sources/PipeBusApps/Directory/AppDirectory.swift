// SPDX-License-Identifier: MIT
import CGIO
import Synchronization

/// The apps that are installed and declare ports, and how that changes.
///
/// ```swift
/// for await apps in AppDirectory.updates { for app in apps { print(app.name, app.ports.map(\.title)) } }
/// ```
///
/// Desktop entries are looked for in `$XDG_DATA_HOME/applications` and in `applications` of each of `$XDG_DATA_DIRS`.
///
/// - Thread: any but the audio thread.
/// - Realtime: unsafe.
public enum AppDirectory {
    /// The apps, sorted by name. It reads the folders.
    public static var apps: [InstalledApp] { InstalledApp.all() }

    /// The app of an id; `nil` if none is installed, or it declares no ports.
    public static func app(_ id: String) -> InstalledApp? { apps.first { $0.id == id } }

    /// The present apps, and then those after each change. Changes are coalesced, and equal lists are left out.
    public static var updates: AsyncStream<[InstalledApp]> { EntryMonitor.shared.updates() }
}
