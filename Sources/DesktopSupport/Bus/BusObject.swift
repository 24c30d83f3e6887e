// SPDX-License-Identifier: MIT
import CGIO
import Glibc

/// An object of this process on the session bus. It leaves the bus with its last reference.
///
/// - Thread: any. Its handler is called on the thread of ``GLibLoop``.
@safe package final class BusObject: @unchecked Sendable {
    /// A call of another process.
    package struct Call: Sendable {
        package let method: String
        package let message: DBusReply
        /// The unique name of the process.
        package let sender: String
        private let invocation: Invocation

        /// Each call is answered once.
        fileprivate init(method: String, message: DBusReply, sender: String, invocation: Invocation) {
            self.method = method
            self.message = message
            self.sender = sender
            self.invocation = invocation
        }

        package func answer(_ values: [DBusValue] = [], descriptors: [Int32] = []) {
            invocation.answer(values, descriptors)
        }

        /// - Parameter name: the error's, below `org.pipebus.Error`.
        package func fail(_ name: String, _ message: String) { invocation.fail("org.pipebus.Error.\(name)", message) }
    }

    package typealias Handler = @Sendable (Call) -> Void

    private let bus: SessionBus
    private let number: UInt32

    /// Puts the object on the bus.
    ///
    /// - Parameters:
    ///   - interface: the introspection data of one interface.
    ///   - properties: constant values.
    ///   - handler: called for each call.
    /// - Throws: ``DBusError`` `remote`, if this process has such an object there already.
    package static func export(
        _ interface: String, at path: String, on bus: SessionBus, properties: [String: DBusValue] = [:],
        handler: @escaping Handler
    ) async throws -> BusObject {
        try await GLibLoop.shared.run { () -> Result<BusObject, DBusError> in
            var error: UnsafeMutablePointer<GError>?
            guard let node = unsafe g_dbus_node_info_new_for_xml("<node>\(interface)</node>", &error) else {
                return .failure(.remote(name: "", message: unsafe GLibError(taking: error).message))
            }
            defer { unsafe g_dbus_node_info_unref(node) }
            var table = GDBusInterfaceVTable()
            unsafe table.method_call = Self.called
            unsafe table.get_property = Self.propertyRead
            let box = unsafe Unmanaged.passRetained(Box(handler, properties)).toOpaque()
            let number = unsafe g_dbus_connection_register_object(
                bus.connection, path, node.pointee.interfaces[0], &table, box,
                { data in unsafe Unmanaged<Box>.fromOpaque(data!).release() }, &error)
            guard number != 0 else {
                return .failure(.remote(name: "", message: unsafe GLibError(taking: error).message))
            }
            return .success(BusObject(bus, number))
        }.get()
    }

    private init(_ bus: SessionBus, _ number: UInt32) {
        self.bus = bus
        self.number = number
    }

    deinit { unsafe g_dbus_connection_unregister_object(bus.connection, number) }

    private final class Box {
        let handler: Handler
        let properties: [String: DBusValue]

        init(_ handler: @escaping Handler, _ properties: [String: DBusValue]) {
            self.handler = handler
            self.properties = properties
        }
    }

    private static let called: GDBusInterfaceMethodCallFunc = { _, sender, _, _, method, parameters, invocation, data in
        let box = unsafe Unmanaged<Box>.fromOpaque(data!).takeUnretainedValue()
        let message = unsafe g_dbus_method_invocation_get_message(invocation)
        var descriptors: [Int32] = []
        if let list = unsafe g_dbus_message_get_unix_fd_list(message) {
            unsafe g_object_ref(UnsafeMutableRawPointer(list))
            descriptors = unsafe SessionBus.take(list)
        }
        box.handler(
            Call(
                method: unsafe method.map { unsafe String(cString: $0) } ?? "",
                message: DBusReply(values: unsafe DBusValue.values(ofTuple: parameters), descriptors: descriptors),
                sender: unsafe sender.map { unsafe String(cString: $0) } ?? "",
                invocation: unsafe Invocation(invocation!)))
    }

    private static let propertyRead: GDBusInterfaceGetPropertyFunc = { _, _, _, _, name, _, data in
        let box = unsafe Unmanaged<Box>.fromOpaque(data!).takeUnretainedValue()
        let name = unsafe name.map { unsafe String(cString: $0) } ?? ""
        return unsafe box.properties[name]?.makeVariant()
    }
}

/// A call that is to be answered.
@safe private final class Invocation: @unchecked Sendable {
    // @unchecked: an invocation may be answered on any thread.
    private let invocation: OpaquePointer

    init(_ invocation: OpaquePointer) { unsafe self.invocation = invocation }

    func answer(_ values: [DBusValue], _ descriptors: [Int32]) {
        guard !descriptors.isEmpty else {
            return unsafe g_dbus_method_invocation_return_value(invocation, DBusValue.makeTuple(values))
        }
        let list = unsafe g_unix_fd_list_new()
        for descriptor in descriptors { unsafe g_unix_fd_list_append(list, descriptor, nil) }
        unsafe g_dbus_method_invocation_return_value_with_unix_fd_list(
            invocation, DBusValue.makeTuple(values), list)
        unsafe g_object_unref(UnsafeMutableRawPointer(list))
    }

    func fail(_ name: String, _ message: String) {
        unsafe g_dbus_method_invocation_return_dbus_error(invocation, name, message)
    }
}
