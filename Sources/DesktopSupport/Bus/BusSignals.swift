// SPDX-License-Identifier: MIT
import CGIO

/// A signal of another process.
package struct BusSignal: Sendable {
    package let member: String
    /// The unique name of the process.
    package let sender: String
    package let message: DBusReply
}

/// The signals that come for an object path, with their descriptors, which GIO's own subscriptions do not pass on.
///
/// They are those that are sent to this process alone. They end with the last reference to this object.
///
/// - Thread: any. The handler is called on the thread of the connection, in the order in which the signals came; it returns soon.
@safe package final class BusSignals: @unchecked Sendable {
    // @unchecked: a connection may be used on any thread.
    private let bus: SessionBus
    private let number: UInt32

    private final class Filter: Sendable {
        let interface: String
        let path: String
        let handler: @Sendable (BusSignal) -> Void

        init(_ interface: String, _ path: String, _ handler: @escaping @Sendable (BusSignal) -> Void) {
            (self.interface, self.path, self.handler) = (interface, path, handler)
        }
    }

    package init(
        of interface: String, at path: String, on bus: SessionBus, handler: @escaping @Sendable (BusSignal) -> Void
    ) {
        self.bus = bus
        let filter = unsafe Unmanaged.passRetained(Filter(interface, path, handler)).toOpaque()
        number = unsafe g_dbus_connection_add_filter(
            bus.connection, Self.filtered, filter,
            { data in unsafe Unmanaged<Filter>.fromOpaque(data!).release() })
    }

    deinit { unsafe g_dbus_connection_remove_filter(bus.connection, number) }

    /// On the thread of the connection.
    private static let filtered: GDBusMessageFilterFunction = { _, message, isIncoming, data in
        let filter = unsafe Unmanaged<Filter>.fromOpaque(data!).takeUnretainedValue()
        guard isIncoming != 0, unsafe g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_SIGNAL,
            unsafe text(g_dbus_message_get_path(message)) == filter.path,
            unsafe text(g_dbus_message_get_interface(message)) == filter.interface
        else { return unsafe message }
        var descriptors: [Int32] = []
        if let list = unsafe g_dbus_message_get_unix_fd_list(message) {
            unsafe g_object_ref(UnsafeMutableRawPointer(list))
            descriptors = unsafe SessionBus.take(list)
        }
        let reply = DBusReply(
            values: unsafe DBusValue.values(ofTuple: g_dbus_message_get_body(message)), descriptors: descriptors)
        filter.handler(
            BusSignal(
                member: unsafe text(g_dbus_message_get_member(message)),
                sender: unsafe text(g_dbus_message_get_sender(message)), message: reply))
        unsafe g_object_unref(UnsafeMutableRawPointer(message!))
        return nil
    }

    private static func text(_ string: UnsafePointer<CChar>?) -> String {
        unsafe string.map { unsafe String(cString: $0) } ?? ""
    }
}

extension SessionBus {
    /// Sends a signal to one process. Any thread may.
    ///
    /// - Parameter descriptors: sent along; they stay the caller's.
    package func send(
        _ member: String, of interface: String, at path: String, to destination: String, _ values: [DBusValue],
        descriptors: [Int32] = []
    ) {
        guard let message = unsafe g_dbus_message_new_signal(path, interface, member) else { return }
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(message)) }
        unsafe g_dbus_message_set_destination(message, destination)
        unsafe g_dbus_message_set_body(message, DBusValue.makeTuple(values))
        if !descriptors.isEmpty {
            let list = unsafe g_unix_fd_list_new()
            for descriptor in descriptors { unsafe g_unix_fd_list_append(list, descriptor, nil) }
            unsafe g_dbus_message_set_unix_fd_list(message, list)
            unsafe g_object_unref(UnsafeMutableRawPointer(list))
        }
        unsafe g_dbus_connection_send_message(connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nil, nil)
    }

    /// Waits until everything that was sent is on its way. It may wait for the bus.
    package func flush() { unsafe g_dbus_connection_flush_sync(connection, nil, nil) }

    /// The name of this process on the bus that nobody else ever has.
    package var uniqueName: String {
        unsafe g_dbus_connection_get_unique_name(connection).map { unsafe String(cString: $0) } ?? ""
    }
}
