// SPDX-License-Identifier: MIT
import CGIO
import PipeBus

extension InstalledApp {
    /// The most apps that are listed.
    private static let largestCount = 1000

    /// All apps whose entries declare ports, sorted by name. What is wrong in an entry is left out.
    static func all() -> [InstalledApp] {
        var apps: [String: InstalledApp] = [:]
        let list = unsafe g_desktop_app_info_get_implementations(EntryKey.interface)
        var item = unsafe list
        while let present = unsafe item {
            if let info = unsafe present.pointee.data {
                if apps.count < largestCount, let app = unsafe InstalledApp(OpaquePointer(info)) {
                    apps[app.id] = app
                }
                unsafe g_object_unref(info)
            }
            unsafe item = unsafe present.pointee.next
        }
        unsafe g_list_free(list)
        return apps.values.sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    }

    /// - Parameter info: a `GDesktopAppInfo`.
    /// - Returns: `nil` for an entry whose name is no app's id, or without a port.
    private init?(_ info: OpaquePointer) {
        guard let idText = unsafe g_app_info_get_id(info), let path = unsafe g_desktop_app_info_get_filename(info)
        else {
            return nil
        }
        let file = unsafe String(cString: idText)
        let suffix = ".desktop"
        guard file.hasSuffix(suffix), (try? Names.check(appID: String(file.dropLast(suffix.count)))) != nil else {
            return nil
        }
        var count: gsize = 0
        let texts = unsafe g_desktop_app_info_get_string_list(info, EntryKey.ports, &count)
        defer { unsafe g_strfreev(texts) }
        var ports: [AppPort] = []
        if let texts = unsafe texts {
            for index in 0..<Int(count) where ports.count < AppPort.largestCount {
                guard let text = unsafe texts[index], let port = AppPort(text: unsafe String(cString: text)),
                    !ports.contains(where: { $0.name == port.name })
                else { continue }
                ports.append(port)
            }
        }
        guard !ports.isEmpty else { return nil }
        let name = unsafe g_app_info_get_name(info).map { unsafe String(cString: $0) } ?? ""
        let icon = unsafe g_desktop_app_info_get_string(info, EntryKey.icon)
        defer { unsafe g_free(icon) }
        id = String(file.dropLast(suffix.count))
        self.name = EntryText.isShown(name) ? name : id
        iconName = unsafe icon.map { unsafe String(cString: $0) }.flatMap { EntryText.isShown($0) ? $0 : nil }
        self.ports = ports
        isDBusActivatable = unsafe g_desktop_app_info_get_boolean(info, EntryKey.dbusActivatable) != 0
        entryPath = unsafe TerminalText.printable(String(cString: path))
    }
}
