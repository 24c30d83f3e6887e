// SPDX-License-Identifier: MIT
import CGIO
import Glibc

/// A thread on which GLib calls its handlers: those of D-Bus, and of files that change.
///
/// GIO calls a handler in the main context of the thread that registered it. So everything that has handlers is made here.
///
/// - Thread: any.
@safe package final class GLibLoop: @unchecked Sendable {
    // @unchecked: GLib's contexts and loops may be used on any thread.
    private let context: OpaquePointer
    private let loop: OpaquePointer

    /// The one of the process, which runs for as long as that does.
    package static let shared = GLibLoop()

    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private init() {
        unsafe context = g_main_context_new()
        unsafe loop = g_main_loop_new(context, 0)
        // The pointer is GLib's and lives as long as the process.
        let words = unsafe UInt(bitPattern: UnsafeRawPointer(loop))
        let thread = unsafe g_thread_new("pipebus-gio", Self.body, UnsafeMutableRawPointer(bitPattern: words))
        unsafe g_thread_unref(thread)
    }

    private static let body: GThreadFunc = { data in
        let loop = unsafe OpaquePointer(data!)
        let context = unsafe g_main_loop_get_context(loop)
        unsafe g_main_context_push_thread_default(context)
        unsafe g_main_loop_run(loop)
        return nil
    }

    /// Runs something on the thread, after what came before.
    ///
    /// - Parameter delay: the least time until then.
    package func perform(afterMilliseconds delay: UInt32 = 0, _ body: @escaping @Sendable () -> Void) {
        let source = unsafe delay == 0 ? g_idle_source_new() : g_timeout_source_new(delay)
        unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
        let job = unsafe Unmanaged.passRetained(Job(body)).toOpaque()
        unsafe g_source_set_callback(
            source,
            { data in
                unsafe Unmanaged<Job>.fromOpaque(data!).takeUnretainedValue().body()
                return G_SOURCE_REMOVE
            }, job, { data in unsafe Unmanaged<Job>.fromOpaque(data!).release() })
        unsafe g_source_attach(source, context)
        unsafe g_source_unref(source)
    }

    /// Runs something on the thread, and gives what it returns.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            perform { continuation.resume(returning: body()) }
        }
    }
}
