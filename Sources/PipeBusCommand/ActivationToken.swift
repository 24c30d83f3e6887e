// SPDX-License-Identifier: MIT
import Glibc

/// What a window system has given this process, so that a window which it opens may have the focus.
enum ActivationToken {
    static var ofProcess: String? {
        for name in ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"] {
            if let value = unsafe getenv(name), unsafe strlen(value) > 0 { return unsafe String(cString: value) }
        }
        return nil
    }
}
