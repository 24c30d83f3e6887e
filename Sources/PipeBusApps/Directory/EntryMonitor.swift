import CGIO
// SPDX-License-Identifier: MIT
import DesktopSupport
import Synchronization

/// Watches the folders of desktop entries for the lists that ``AppDirectory`` gives out.
///
/// GIO's own monitor of apps searches the folders itself; see ``EntryScan``.
final class EntryMonitor: Sendable {
    static let shared = EntryMonitor()

    /// How long changes are gathered, in milliseconds: an update of packages makes hundreds.
    private static let delay: UInt32 = 50

    /// The readers, and the list that they have.
    private struct State {
        var isStarted = false
        var isReadDue = false
        var readers: [Int: AsyncStream<[InstalledApp]>.Continuation] = [:]
        var nextNumber = 0
        var last: [InstalledApp]?
    }
    private let state = Mutex(State())

    /// The present list, and then each other one.
    func updates() -> AsyncStream<[InstalledApp]> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            GLibLoop.shared.perform { [self] in add(continuation) }
        }
    }

    /// On the loop's thread, as all that changes the list.
    private func add(_ continuation: AsyncStream<[InstalledApp]>.Continuation) {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if isFirst { start() }
        readAgain()
        let (number, apps) = state.withLock { state in
            state.nextNumber += 1
            state.readers[state.nextNumber] = continuation
            return (state.nextNumber, state.last ?? [])
        }
        continuation.onTermination = { [self] _ in state.withLock { _ = $0.readers.removeValue(forKey: number) } }
        continuation.yield(apps)
    }

    /// Registers the handlers of changes, which are called on the loop's thread.
    private func start() {
        for folder in EntryFolders.all {
            let file = unsafe g_file_new_for_path(folder)
            defer { unsafe g_object_unref(UnsafeMutableRawPointer(file)) }
            // It lives as long as the process. A folder that is not there is waited for.
            guard let monitor = unsafe g_file_monitor_directory(file, GFileMonitorFlags(rawValue: 0), nil, nil) else {
                continue
            }
            unsafe g_signal_connect_data(
                UnsafeMutableRawPointer(monitor), "changed",
                unsafe unsafeBitCast(
                    { _, _, _, _, _ in EntryMonitor.shared.folderHasChanged() }
                        as @convention(c) (
                            UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, CInt,
                            UnsafeMutableRawPointer?
                        ) -> Void, to: GCallback.self), nil, nil, GConnectFlags(rawValue: 0))
        }
    }

    private func folderHasChanged() {
        let isFirst = state.withLock { state in
            defer { state.isReadDue = true }
            return !state.isReadDue
        }
        guard isFirst else { return }
        GLibLoop.shared.perform(afterMilliseconds: Self.delay) { [self] in
            state.withLock { $0.isReadDue = false }
            readAgain()
        }
    }

    private func readAgain() {
        let apps = InstalledApp.all()
        let readers = state.withLock { state -> [AsyncStream<[InstalledApp]>.Continuation] in
            guard apps != state.last else { return [] }
            state.last = apps
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield(apps) }
    }
}
