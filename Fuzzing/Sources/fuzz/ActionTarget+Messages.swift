// SPDX-License-Identifier: MIT
import CGIO
import ConnectionGraph
import Glibc

@testable import DesktopSupport
@testable import PipeBusActions

/// A message as it comes from the bus.
func fuzzMessage(_ input: Input) {
    let fileCount = input.number(below: 4)
    let bytes = input.rest
    guard !bytes.isEmpty else { return }
    var error: UnsafeMutablePointer<GError>?
    var copy = bytes
    guard
        let message = unsafe g_dbus_message_new_from_blob(
            &copy, gsize(copy.count), G_DBUS_CAPABILITY_FLAGS_UNIX_FD_PASSING, &error)
    else { return unsafe g_error_free(error) }
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(message)) }
    checkReply(unsafe DBusValue.values(ofTuple: g_dbus_message_get_body(message)), fileCount)
}

/// The body of a message, whose types fit: so that damage comes further than to the frame of a message.
func fuzzMessageBody(_ input: Input) {
    let fileCount = input.number(below: 4)
    let type = input.choice([
        "(ua{sv})", "(a(hss)a{sv}a{sv})", "(a{sv})", "(v)", "(avasa(sv))", "(ia{sv})", "(oybnqiuxtdhsg)", "(a(hss))",
    ])
    let bytes = input.rest
    let held = unsafe g_bytes_new(bytes, gsize(bytes.count))
    defer { unsafe g_bytes_unref(held) }
    let kind = unsafe g_variant_type_new(type)
    defer { unsafe g_variant_type_free(kind) }
    let raw = unsafe g_variant_ref_sink(g_variant_new_from_bytes(kind, held, 0))!
    defer { unsafe g_variant_unref(raw) }
    let body = unsafe g_variant_get_normal_form(raw)!
    defer { unsafe g_variant_unref(body) }
    checkReply(unsafe DBusValue.values(ofTuple: body), fileCount)
}

private func checkReply(_ values: [DBusValue], _ fileCount: Int) {
    check(values.count <= 255, "\(values.count) values")
    for value in values { checkValue(value, depth: 0) }
    let descriptors = (0..<fileCount).map { _ in unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
    let message = DBusReply(values: values, descriptors: descriptors)
    defer { withExtendedLifetime(message) {} }
    checkResponse(message, Set(descriptors))
    checkCall(message, Set(descriptors))
}

private func checkValue(_ value: DBusValue, depth: Int) {
    check(depth <= 16, "a deep value")
    switch value {
    case .array(_, let values):
        check(values.count <= 4096, "a long list")
        for value in values { checkValue(value, depth: depth + 1) }
    case .tuple(let values): for value in values { checkValue(value, depth: depth + 1) }
    case .dictionary(let values):
        check(values.count <= 256, "a long list")
        for value in values.values { checkValue(value, depth: depth + 1) }
    case .variant(let value): checkValue(value, depth: depth + 1)
    default: break
    }
}

private func checkResponse(_ message: DBusReply, _ descriptors: Set<Int32>) {
    guard let response = try? ActionResponse(message) else { return }
    switch response {
    case .completed(let files):
        check((1...ActionResponse.mostFiles).contains(files.count), "\(files.count) files")
        for file in files {
            check(descriptors.contains(file.descriptor), "a descriptor of nobody")
            if let name = ResultName.cleaned(file.name) { checkFileName(name) }
            checkShowable(file.note.shown(atMost: 1000), "a note")
        }
    case .cancelled: break
    case .failed(let reason): checkShowable(reason, atMost: 8 * ActionResponse.longestReason + 3, "a reason")
    }
}

private func checkCall(_ message: DBusReply, _ descriptors: Set<Int32>) {
    do {
        let call = try RunCall(message, to: fuzzedAction)
        check(call.files.count <= RunCall.mostFiles, "\(call.files.count) files")
        for file in call.files {
            check(descriptors.contains(file.descriptor), "a descriptor of nobody")
            checkFileName(file.name)
            check(file.type.map { $0.isValid && $0.isSound } ?? true, "a type that is no sound")
        }
        checkValues(call.parameters)
        let path = ActionProtocol.requestPath(sender: ":1.42", token: call.token ?? "t")
        check(unsafe g_variant_is_object_path(path) != 0, "a request at \(path)")
    } catch {
        checkSentence(error.message)
    }
}
