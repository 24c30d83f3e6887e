// SPDX-License-Identifier: MIT
import CGIO
import DesktopSupport

/// The apps that open files of a type when a user asks for no other one.
enum DefaultApps {
    /// Makes the present ones the user's choice. A new entry in the user's own folder would come before all others otherwise, and a double click would run an
    /// action.
    ///
    /// - Parameter id: an app that is no choice.
    static func keep(for types: [MIMEType], except id: String) {
        // Any call about an entry makes GIO search all folders, for ever if one contains itself.
        guard EntryScan.endlessLink(in: EntryFolders.all) == nil else { return }
        for type in types {
            guard let app = unsafe g_app_info_get_default_for_type(type.name, 0) else { continue }
            defer { unsafe g_object_unref(UnsafeMutableRawPointer(app)) }
            let name = unsafe g_app_info_get_id(app).map { unsafe String(cString: $0) }
            guard name != "\(id).desktop" else { continue }
            unsafe g_app_info_set_as_default_for_type(app, type.name, nil)
        }
    }
}
