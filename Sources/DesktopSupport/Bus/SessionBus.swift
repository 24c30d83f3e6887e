// SPDX-License-Identifier: MIT
package import CGIO
import Glibc
import Synchronization

/// The user's session bus: calls with a time limit. One connection serves the process, as for GIO itself.
///
/// ``SystemBus`` has one to the system's.
///
/// - Thread: any.
@safe package final class SessionBus: @unchecked Sendable {
    // @unchecked: a GDBusConnection may be used on any thread.
    package let connection: OpaquePointer

    private init(_ connection: OpaquePointer) { unsafe self.connection = connection }

    deinit { unsafe g_object_unref(UnsafeMutableRawPointer(connection)) }

    /// The longest wait for the bus itself.
    package static let limit: Duration = .seconds(3)

    /// Connects.
    ///
    /// - Throws: ``DBusError`` `noBus`.
    package static func connect(within limit: Duration = limit) async throws -> SessionBus {
        // GLib would start a bus of its own by X11, if there is a display.
        guard hasAddress else { throw DBusError.noBus(reason: "DBUS_SESSION_BUS_ADDRESS is not set") }
        return try await connect(to: G_BUS_TYPE_SESSION, named: "the session bus", within: limit)
    }

    /// - Parameter name: for people.
    package static func connect(
        to type: GBusType, named name: String, within limit: Duration = limit
    ) async throws -> SessionBus {
        unsafe try await connect(named: name, within: limit) { answer in unsafe g_bus_get(type, nil, connected, answer)
        }
    }

    /// Connects to a bus that is not the user's own, over a connection that nothing else uses.
    ///
    /// - Throws: ``DBusError`` `noBus`.
    package static func connect(toAddress address: String, within limit: Duration = limit) async throws -> SessionBus {
        unsafe try await connect(named: "the bus", within: limit) { answer in
            let flags = GDBusConnectionFlags(
                rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                    | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
            unsafe g_dbus_connection_new_for_address(address, flags, nil, nil, connectedToAddress, answer)
        }
    }

    private static func connect(
        named name: String, within limit: Duration, _ begin: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
    ) async throws -> SessionBus {
        let (answers, answer) = AsyncStream.makeStream(of: Result<SessionBus, DBusError>.self)
        let timer = Task {
            try await Task.sleep(for: limit)
            answer.yield(.failure(.noBus(reason: "\(name) does not answer")))
        }
        defer { timer.cancel() }
        GLibLoop.shared.perform { unsafe begin(Unmanaged.passRetained(Answer(answer, from: name)).toOpaque()) }
        for await answer in answers { return try answer.get() }
        throw DBusError.noBus(reason: "\(name) does not answer")
    }

    private final class Answer {
        let stream: AsyncStream<Result<SessionBus, DBusError>>.Continuation
        let name: String

        init(_ stream: AsyncStream<Result<SessionBus, DBusError>>.Continuation, from name: String) {
            self.stream = stream
            self.name = name
        }
    }

    private static let connected: GAsyncReadyCallback = { _, result, data in
        var error: UnsafeMutablePointer<GError>?
        let connection = unsafe g_bus_get_finish(result, &error)
        unsafe SessionBus.give(connection, error, to: data)
    }

    private static let connectedToAddress: GAsyncReadyCallback = { _, result, data in
        var error: UnsafeMutablePointer<GError>?
        let connection = unsafe g_dbus_connection_new_for_address_finish(result, &error)
        unsafe SessionBus.give(connection, error, to: data)
    }

    private static func give(
        _ connection: OpaquePointer?, _ error: UnsafeMutablePointer<GError>?, to data: UnsafeMutableRawPointer?
    ) {
        let box = unsafe Unmanaged<Answer>.fromOpaque(data!).takeRetainedValue()
        let answer = box.stream
        guard let connection = unsafe connection else {
            answer.yield(.failure(.noBus(reason: unsafe GLibError(taking: error).message)))
            return
        }
        // The end of the bus must not end the process.
        unsafe g_dbus_connection_set_exit_on_close(connection, 0)
        let bus = unsafe SessionBus(connection)
        let isClosed = unsafe g_dbus_connection_is_closed(connection) != 0
        answer.yield(isClosed ? .failure(.noBus(reason: "\(box.name) has ended")) : .success(bus))
    }

    private static var hasAddress: Bool {
        if let address = unsafe getenv("DBUS_SESSION_BUS_ADDRESS"), unsafe strlen(address) > 0 { return true }
        let socket = unsafe String(cString: g_get_user_runtime_dir()) + "/bus"
        return unsafe access(socket, F_OK) == 0
    }

    // MARK: Calls

    private final class Call: @unchecked Sendable {
        // @unchecked: used by the loop's thread alone.
        let finish: (Result<DBusReply, DBusError>) -> Void
        init(_ finish: @escaping (Result<DBusReply, DBusError>) -> Void) { self.finish = finish }
    }

    /// Calls a method, and waits for its answer.
    ///
    /// - Parameters:
    ///   - descriptors: sent along; they stay the caller's.
    ///   - startsService: whether the bus starts the program of the name if it does not run.
    /// - Throws: ``DBusError``; `timedOut` in any case after the time limit.
    package func call(
        _ method: String, of interface: String, at path: String, ofName name: String, _ values: [DBusValue] = [],
        descriptors: [Int32] = [], startsService: Bool = true, timeout: Duration
    ) async throws -> DBusReply {
        let milliseconds = Int32(clamping: Int64(timeout / .milliseconds(1)))
        return try await withCheckedThrowingContinuation { continuation in
            GLibLoop.shared.perform { [self] in
                let call = Call { continuation.resume(with: $0.mapError { $0 as any Error }) }
                let list = unsafe descriptors.isEmpty ? nil : g_unix_fd_list_new()
                for descriptor in descriptors { unsafe g_unix_fd_list_append(list, descriptor, nil) }
                unsafe g_dbus_connection_call_with_unix_fd_list(
                    connection, name, path, interface, method, DBusValue.makeTuple(values), nil,
                    startsService ? G_DBUS_CALL_FLAGS_NONE : G_DBUS_CALL_FLAGS_NO_AUTO_START, max(milliseconds, 1),
                    list,
                    nil, Self.answered, Unmanaged.passRetained(call).toOpaque())
                if let list = unsafe list { unsafe g_object_unref(UnsafeMutableRawPointer(list)) }
            }
        }
    }

    private static let answered: GAsyncReadyCallback = { source, result, data in
        let call = unsafe Unmanaged<Call>.fromOpaque(data!).takeRetainedValue()
        var error: UnsafeMutablePointer<GError>?
        var list: UnsafeMutablePointer<GUnixFDList>?
        let reply = unsafe g_dbus_connection_call_with_unix_fd_list_finish(
            OpaquePointer(source), &list, result, &error)
        guard let reply = unsafe reply else { return call.finish(.failure(unsafe SessionBus.error(taking: error))) }
        defer { unsafe g_variant_unref(reply) }
        call.finish(
            .success(DBusReply(values: unsafe DBusValue.values(ofTuple: reply), descriptors: unsafe take(list))))
    }

    /// The descriptors of a list, which is released.
    package static func take(_ list: UnsafeMutablePointer<GUnixFDList>?) -> [Int32] {
        guard let list = unsafe list else { return [] }
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(list)) }
        var count: Int32 = 0
        guard let descriptors = unsafe g_unix_fd_list_steal_fds(list, &count) else { return [] }
        defer { unsafe g_free(descriptors) }
        return (0..<Int(count)).map { unsafe descriptors[$0] }
    }

    private static func error(taking error: UnsafeMutablePointer<GError>?) -> DBusError {
        guard let present = unsafe error else { return .noBus(reason: "no reason was given") }
        guard let name = unsafe g_dbus_error_get_remote_error(present) else {
            let timedOut =
                unsafe g_error_matches(present, g_io_error_quark(), Int32(G_IO_ERROR_TIMED_OUT.rawValue)) != 0
            let error = unsafe GLibError(taking: present)
            return timedOut ? .timedOut : .noBus(reason: error.message)
        }
        defer { unsafe g_free(name) }
        unsafe g_dbus_error_strip_remote_error(present)
        let text = unsafe String(cString: name)
        return DBusError(name: text, message: unsafe GLibError(taking: present).message)
    }

    // MARK: Names

    /// The interface and the object of the bus itself.
    private static let busName = "org.freedesktop.DBus"
    private static let busPath = "/org/freedesktop/DBus"

    /// Takes a name, unless another process has it.
    ///
    /// - Returns: whether this process has it now.
    package func own(_ name: String) async throws -> Bool {
        // 4: do not wait for it. Answers: 1 has it, 4 had it before.
        let reply = try await call(
            "RequestName", of: Self.busName, at: Self.busPath, ofName: Self.busName, [.string(name), .uint32(4)],
            timeout: .seconds(5))
        return reply.values == [.uint32(1)] || reply.values == [.uint32(4)]
    }

    package func release(_ name: String) async throws {
        _ = try await call(
            "ReleaseName", of: Self.busName, at: Self.busPath, ofName: Self.busName, [.string(name)],
            timeout: .seconds(5))
    }

    /// Has the bus start the program of a name, unless it runs.
    ///
    /// - Throws: ``DBusError``.
    package func start(_ name: String, timeout: Duration) async throws {
        _ = try await call(
            "StartServiceByName", of: Self.busName, at: Self.busPath, ofName: Self.busName,
            [.string(name), .uint32(0)], timeout: timeout)
    }

    /// Has the bus read its service files again. A bus looks at folders that were there when it began.
    package func reloadServices() async throws {
        _ = try await call(
            "ReloadConfig", of: Self.busName, at: Self.busPath, ofName: Self.busName, timeout: .seconds(5))
    }

    /// The unique name of the process that has the name; `nil` if none has it.
    package func owner(of name: String, timeout: Duration) async throws -> String? {
        do {
            let reply = try await call(
                "GetNameOwner", of: Self.busName, at: Self.busPath, ofName: Self.busName, [.string(name)],
                timeout: timeout)
            return reply.values.first?.text
        } catch DBusError.unknownName { return nil }
    }
}
