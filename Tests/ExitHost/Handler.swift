// SPDX-License-Identifier: MIT
import Glibc

/// A host app's own handler of SIGINT, which writes "handled".
enum Handler {
    nonisolated(unsafe) private static var replaced = sigaction()
    /// The address of the handler that was installed last.
    nonisolated(unsafe) private static var installed: UInt = 0

    static func install() {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = write
        unsafe sigaction(SIGINT, &action, nil)
        unsafe installed = address
    }

    /// Installs one that also calls the handler that it replaces.
    static func installInFront() {
        unsafe sigaction(SIGINT, nil, &replaced)
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            Handler.write(number)
            if unsafe Handler.replaced.sa_flags & SA_SIGINFO != 0 {
                unsafe Handler.replaced.__sigaction_handler.sa_sigaction?(number, nil, nil)
            } else {
                unsafe Handler.replaced.__sigaction_handler.sa_handler?(number)
            }
        }
        unsafe sigaction(SIGINT, &action, nil)
        unsafe installed = address
    }

    /// Whether the handler that was installed last is the present one.
    static var isInstalled: Bool { unsafe address == installed }

    /// Whether any handler is installed.
    static var isOther: Bool { address != 0 }

    private static var address: UInt {
        var action = sigaction()
        unsafe sigaction(SIGINT, nil, &action)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
    }

    private static let write: @convention(c) (Int32) -> Void = { _ in
        // It takes a while, in which the app must not end.
        poll(nil, 0, 50)
        _ = unsafe Glibc.write(STDOUT_FILENO, "handled\n", 8)
    }
}
