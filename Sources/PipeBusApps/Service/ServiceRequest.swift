// SPDX-License-Identifier: MIT
import DesktopSupport

/// A request of another process to this app, by the interface of the desktop entry specification.
enum ServiceRequest: Sendable, Hashable {
    case port(AppLaunch)
    case show(AppLaunch)

    /// Desktop Entry Specification 1.5, "D-Bus Activation".
    static let interface = """
        <interface name="\(BusName.application)">
          <method name="Activate"><arg type="a{sv}" name="platform_data" direction="in"/></method>
          <method name="Open"><arg type="as" name="uris" direction="in"/><arg type="a{sv}" name="platform_data" direction="in"/></method>
          <method name="ActivateAction">
            <arg type="s" name="action_name" direction="in"/>
            <arg type="av" name="parameter" direction="in"/>
            <arg type="a{sv}" name="platform_data" direction="in"/>
          </method>
        </interface>
        """

    /// - Returns: `nil` for a request that PipeBus does not know: files to open, and actions of others.
    init?(_ method: String, _ values: [DBusValue]) {
        guard case .dictionary(let data)? = values.last else { return nil }
        switch (method, values.count) {
        case ("Activate", 1): self = .show(AppLaunch(port: nil, platformData: data))
        case ("ActivateAction", 3):
            guard values[0] == .string(AppLaunch.Key.portAction), case .array(of: "v", let parameters) = values[1],
                parameters.count <= 1
            else { return nil }
            self = .port(AppLaunch(port: parameters.first?.text, platformData: data))
        default: return nil
        }
    }
}
