// SPDX-License-Identifier: MIT
import DesktopSupport

extension BusName {
    /// What PipeBus adds to an app's object: Docs/Protocols.md.
    static let app = "org.pipebus.App1"
}
