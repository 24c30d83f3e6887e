// SPDX-License-Identifier: MIT
import CGIO
import ConnectionGraph
import Glibc

/// The folders of desktop entries.
package enum EntryFolders {
    /// That of the user, in which nothing is packaged: `$XDG_DATA_HOME/applications`.
    package static var user: String { unsafe String(cString: g_get_user_data_dir()) + "/applications" }

    /// Those of packages: `applications` in each of `$XDG_DATA_DIRS`.
    package static var packaged: [String] { shared.map { "\($0)/applications" } }

    /// All of them, the first that counts first.
    package static var all: [String] { [user] + packaged }

    /// The folders of data of packages: `$XDG_DATA_DIRS`.
    package static var shared: [String] {
        var folders: [String] = []
        guard let first = unsafe g_get_system_data_dirs() else { return [] }
        var index = 0
        while let folder = unsafe first[index] {
            folders.append(unsafe String(cString: folder))
            index += 1
        }
        return folders
    }

    /// The user's entry of an app.
    package static func userEntry(of id: String) -> EntryFile { EntryFile(path: "\(user)/\(id).desktop") }

    /// The entry of an app that a package has brought; `nil` without one.
    package static func packagedEntry(of id: String) -> EntryFile? {
        packaged.lazy.map { EntryFile(path: "\($0)/\(id).desktop") }.first { unsafe access($0.path, R_OK) == 0 }
    }

    /// That of the user's files by which a session bus starts programs.
    package static var userServices: String { unsafe String(cString: g_get_user_data_dir()) + "/dbus-1/services" }

    /// Makes a folder of the user.
    ///
    /// - Throws: ``DesktopError`` `refused`.
    package static func make(_ folder: String) throws {
        guard unsafe g_mkdir_with_parents(folder, 0o700) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw DesktopError(
                .refused,
                "The folder \"\(TerminalText.printable(folder))\" cannot be made (\(reason)); set XDG_DATA_HOME to one that "
                    + "this user may write.")
        }
    }
}
