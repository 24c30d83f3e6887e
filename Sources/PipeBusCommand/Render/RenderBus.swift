// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTesting

/// A session bus for one process of an app. It starts no service, so that nothing of it outlives the app.
enum RenderBus {
    static func address(in folder: String) -> String { "unix:path=\(folder)/bus" }

    /// Starts the bus at the address of a folder.
    ///
    /// - Returns: `nil` if there is no program for it, or it does not start.
    static func start(in folder: String) async -> ChildProcess? {
        let configuration = "\(folder)/bus.conf"
        guard let file = unsafe fopen(configuration, "wxe") else { return nil }
        let written = unsafe fputs(text(address(in: folder)), file)
        guard unsafe fclose(file) == 0, written >= 0,
            let bus = try? ChildProcess(
                "dbus-daemon", ["--config-file=\(configuration)", "--nofork", "--print-address"])
        else { return nil }
        return (try? await bus.nextLine()) == nil ? nil : bus
    }

    private static func text(_ address: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>\(address)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>

        """
    }
}
