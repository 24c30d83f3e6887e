// SPDX-License-Identifier: MIT
import CGIO
import Synchronization

/// Watches the folders of desktop entries for the lists that ``AppDirectory`` gives out.
final class EntryMonitor: Sendable {
    static let shared = EntryMonitor()

    /// The readers, and the list that they have.
    private struct State {
        var isStarted = false
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

    /// Registers the handler of changes, which is called on the loop's thread.
    private func start() {
        // It lives as long as the process.
        let monitor = unsafe g_app_info_monitor_get()
        unsafe g_signal_connect_data(
            UnsafeMutableRawPointer(monitor), "changed",
            unsafe unsafeBitCast(
                { _, _ in EntryMonitor.shared.readAgain() }
                    as @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void,
                to: GCallback.self), nil, nil, GConnectFlags(rawValue: 0))
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
