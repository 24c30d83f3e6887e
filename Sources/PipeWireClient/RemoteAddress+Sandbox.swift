// SPDX-License-Identifier: MIT
import Glibc

extension RemoteAddress {
    /// What else may keep a daemon from answering this process; empty outside of a sandbox. A session manager may hold back the
    /// permission of an app in a sandbox, and the daemon then reads nothing from it.
    static var sandboxHint: String {
        let isInSandbox = unsafe access("/.flatpak-info", F_OK) == 0 || environment("SNAP") != nil
        return isInSandbox ? "; or its session manager holds back this sandboxed app's permission" : ""
    }
}
