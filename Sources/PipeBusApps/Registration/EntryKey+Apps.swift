// SPDX-License-Identifier: MIT
import DesktopSupport

extension EntryKey {
    /// The app's ports, in the form of ``AppPort/text``.
    static let ports = "X-PipeBus-Ports"
    /// The interface that an app with ports implements.
    static let interface = "org.pipebus.Port1"
}
