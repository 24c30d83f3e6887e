// SPDX-License-Identifier: MIT
@testable import DesktopSupport
@testable import PipeBusApps

/// A desktop entry, or the index of an icon theme, which any program may have written.
func fuzzEntry(_ input: Input) {
    let bytes = input.rest
    checkListing(bytes)
    guard let keys = try? KeyFile(bytes: bytes) else { return }
    for folder in ["16x16/apps", "a", "b"] {
        guard let sizes = IconSizes(keys, of: folder) else { continue }
        for (size, scale) in [(16, 1), (48, 2), (.max, .max), (.min, -1)] {
            check(sizes.distance(from: size, scale: scale) >= 0, "a distance below 0")
            check(
                !sizes.match(size, scale: scale) || sizes.distance(from: size, scale: scale) == 0,
                "a match with a distance")
        }
    }
    checkChanges(of: keys)
}

private func checkListing(_ bytes: [UInt8]) {
    guard let app = InstalledApp(id: "org.example.app", path: "/x.desktop", bytes: bytes) else { return }
    for text in [app.name, app.iconName ?? ""] { checkShowable(text, atMost: EntryText.longest, "a text of an entry") }
    check(!app.ports.isEmpty && app.ports.count <= AppPort.largestCount, "\(app.ports.count) ports")
    check(Set(app.ports.map(\.name)).count == app.ports.count, "two ports of one name")
    for port in app.ports {
        checkShowable(port.title, atMost: EntryText.longest, "a title")
        do { try port.check() } catch { check(false, "a listed port that cannot be: \(error)") }
        check(AppPort(text: port.text) == port, "a port that does not come back")
    }
}

/// What is written into an entry is read again, and taken back without a trace.
private func checkChanges(of keys: KeyFile) {
    let group = EntryKey.group
    let before = keys.text
    keys.set(EntryKey.ports, to: ["a:sender:1:A; B\\", "b"], in: group)
    guard let again = try? KeyFile(text: keys.text) else { return check(false, "an entry that cannot be read again") }
    check(again.list(EntryKey.ports, in: group) == ["a:sender:1:A; B\\", "b"], "another list than was written")
    again.remove(EntryKey.ports, in: group)
    check(!again.has(EntryKey.ports, in: group), "a removed key is there")
    guard let last = try? KeyFile(text: again.text) else { return check(false, "an entry that cannot be read again") }
    check(!last.has(EntryKey.ports, in: group), "a removed key comes back")
    let (old, new) = (others(before), others(last.text))
    // In a file without the group its heading is left behind.
    let appended = (old.last == "" ? old.dropLast() : old[...]) + ["[\(group)]", ""]
    check(new == old || new.elementsEqual(appended), "another line has changed")
}

/// The lines of a text that are not those of the key that was written.
private func others(_ text: String) -> [String] {
    var isInGroup = false
    return text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
        String(Substring($0))
    }
    .filter { line in
        let bytes = line.utf8.drop { $0 == 0x20 || 0x09...0x0D ~= $0 }
        if bytes.first == UInt8(ascii: "[") { isInGroup = bytes.starts(with: "[\(EntryKey.group)]".utf8) }
        let isOurs =
            bytes.starts(with: EntryKey.ports.utf8)
            && bytes.dropFirst(EntryKey.ports.utf8.count).first { $0 != 0x20 && !(0x09...0x0D ~= $0) }
                == UInt8(ascii: "=")
        return !isInGroup || !isOurs
    }
}
