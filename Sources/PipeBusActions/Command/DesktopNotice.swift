// SPDX-License-Identifier: MIT
import DesktopSupport

/// A notice on the user's desktop, for a program without a terminal (Desktop Notifications Specification 1.2).
enum DesktopNotice {
    /// Shows a notice, if the desktop can.
    static func show(title: String, text: String) async {
        guard let bus = try? await SessionBus.connect(within: .seconds(1)) else { return }
        _ = try? await bus.call(
            "Notify", of: "org.freedesktop.Notifications", at: "/org/freedesktop/Notifications",
            ofName: "org.freedesktop.Notifications",
            [
                .string("PipeBus"), .uint32(0), .string("dialog-error"), .string(title), .string(text),
                .array(of: "s", []), .dictionary([:]), .int32(-1),
            ], timeout: .seconds(2))
    }
}
