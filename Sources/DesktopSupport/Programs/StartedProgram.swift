// SPDX-License-Identifier: MIT
import CAppSupport
import CGIO
import ConnectionGraph
import Glibc
import Synchronization

/// A program that was started by the `Exec` line of a desktop entry, as a child of this process.
///
/// GIO takes the line apart; no shell reads it. It never has the scheduling, the descriptors, the terminal or the signals of this process.
package final class StartedProgram: Sendable {
    package enum End: Sendable, Hashable {
        case exited(Int32)
        case killed(Int32)
    }

    package let pid: Int32
    /// The program's end: one element. It is reaped whether anybody reads that or not.
    package let end: AsyncStream<End>

    /// As long as it is open, the program goes on.
    private let guardEnd: OwnedDescriptor?

    private init(_ pid: Int32, _ end: AsyncStream<End>, guardedBy guardEnd: OwnedDescriptor?) {
        self.pid = pid
        self.end = end
        self.guardEnd = guardEnd
    }

    private static func pipe() -> (read: OwnedDescriptor, write: OwnedDescriptor)? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pbapp_pipe(&ends) else { return nil }
        return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }

    /// What a program gets beside what its entry says.
    package struct Settings: Sendable {
        /// Files that are opened with it: absolute paths.
        package var files: [String] = []
        /// Its working folder; that of its entry if there is none.
        package var folder: String?
        /// What it writes its errors to; they are dropped if there is none.
        package var errors: OwnedDescriptor?
        /// Whether it is killed, with all that is in its process group, when this process ends, or forgets it.
        package var endsWithParent = false
        /// Added to the environment of this process.
        package var environment: [String: String] = [:]
        /// Variables of this process that the program does not get.
        package var removedVariables: [String] = []

        package init() {}
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: that of the entry.
    ///   - environment: added to that of this process.
    ///   - removing: variables of this process that the program does not get.
    /// - Throws: ``GLibError``.
    package static func start(
        entryAt path: String, environment: [String: String], removing variables: [String] = []
    ) async throws -> StartedProgram {
        var settings = Settings()
        settings.environment = environment
        settings.removedVariables = variables
        return try await start(entryAt: path, settings)
    }

    /// - Parameter path: that of the entry.
    /// - Throws: ``GLibError``.
    package static func start(entryAt path: String, _ settings: Settings) async throws -> StartedProgram {
        try await GLibLoop.shared.run { () -> Result<StartedProgram, GLibError> in
            // Any call about an entry makes GIO search all folders. Here it would do so for ever, and hold up this thread.
            if let link = EntryScan.endlessLink(in: EntryFolders.all) {
                let link = TerminalText.printable(link)
                return .failure(
                    GLibError(message: "the folder of desktop entries \"\(link)\" contains itself; remove that link"))
            }
            do throws(GLibError) {
                let info = unsafe try info(ofEntryAt: path)
                defer { unsafe g_object_unref(UnsafeMutableRawPointer(info)) }
                return unsafe start(info, settings)
            } catch { return .failure(error) }
        }.get()
    }

    /// What GIO makes of an entry in which D-Bus has no part: GIO would ask the bus in place of the `Exec` line, and the bus might give the request to
    /// a process that runs already.
    ///
    /// - Throws: ``GLibError``.
    private static func info(ofEntryAt path: String) throws(GLibError) -> OpaquePointer {
        var info: OpaquePointer?
        if let bytes = try? BoundedFile.bytes(at: path, upTo: EntryFile.longest), let keys = try? KeyFile(bytes: bytes),
            keys.isTrue(EntryKey.dbusActivatable, in: EntryKey.group)
        {
            guard keys.has(EntryKey.exec, in: EntryKey.group) else {
                throw GLibError(message: "its desktop entry has no Exec line, so that only D-Bus can start it")
            }
            keys.remove(EntryKey.dbusActivatable, in: EntryKey.group)
            unsafe info = keys.makeAppInfo()
        } else {
            unsafe info = g_desktop_app_info_new_from_filename(path)
        }
        guard let info = unsafe info else {
            throw GLibError(message: "its desktop entry is gone, or its program is")
        }
        return unsafe info
    }

    /// On the thread of the loop.
    private static func start(_ info: OpaquePointer, _ settings: Settings) -> Result<StartedProgram, GLibError> {
        let context = unsafe g_app_launch_context_new()
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(context)) }
        for name in settings.removedVariables { unsafe g_app_launch_context_unsetenv(context, name) }
        for (name, value) in settings.environment { unsafe g_app_launch_context_setenv(context, name, value) }
        var files: UnsafeMutablePointer<GList>?
        defer { unsafe g_list_free_full(files, { unsafe g_free($0) }) }
        for file in settings.files {
            unsafe files = g_list_append(files, g_filename_to_uri(file, nil, nil))
        }
        let folder = unsafe settings.folder.map { unsafe strdup($0) }
        defer { unsafe free(folder ?? nil) }
        let ends = settings.endsWithParent ? Self.pipe() : nil
        var child = unsafe pbapp_child(
            folder: folder.map { unsafe UnsafePointer($0!) }, errors: settings.errors?.number ?? -1,
            guard: ends.map { $0.read.number } ?? -1)
        var pid: GPid = 0
        var error: UnsafeMutablePointer<GError>?
        let flags = GSpawnFlags(rawValue: G_SPAWN_SEARCH_PATH.rawValue | G_SPAWN_DO_NOT_REAP_CHILD.rawValue)
        let isStarted = unsafe g_desktop_app_info_launch_uris_as_manager(
            info, files, context, flags, pbapp_prepare_child, &child,
            { _, pid, data in unsafe data!.assumingMemoryBound(to: GPid.self).pointee = pid }, &pid, &error)
        guard isStarted != 0, pid > 0 else { return .failure(unsafe GLibError(taking: error)) }
        return withExtendedLifetime(ends) { .success(StartedProgram(pid, watch(pid), guardedBy: ends?.write)) }
    }

    /// The program's end; `nil` if it runs still after a while.
    package func end(within limit: Duration) async -> End? {
        await withTaskGroup(of: End?.self) { group in
            group.addTask { [end] in await end.first { _ in true } }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private final class Watch {
        let end: AsyncStream<End>.Continuation
        init(_ end: AsyncStream<End>.Continuation) { self.end = end }
    }

    /// On the thread of the loop.
    private static func watch(_ pid: Int32) -> AsyncStream<End> {
        let (stream, continuation) = AsyncStream.makeStream(of: End.self)
        let source = unsafe g_child_watch_source_new(pid)
        let watch = unsafe Unmanaged.passRetained(Watch(continuation)).toOpaque()
        let ended: @convention(c) (GPid, Int32, UnsafeMutableRawPointer?) -> Void = { _, status, data in
            let end = unsafe Unmanaged<Watch>.fromOpaque(data!).takeUnretainedValue().end
            // As WIFEXITED and its kin say, which are macros.
            end.yield(status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F))
            end.finish()
        }
        unsafe g_source_set_callback(
            source, unsafe unsafeBitCast(ended, to: GSourceFunc.self), watch,
            { data in unsafe Unmanaged<Watch>.fromOpaque(data!).release() })
        unsafe g_source_attach(source, g_main_context_get_thread_default())
        unsafe g_source_unref(source)
        return stream
    }
}
