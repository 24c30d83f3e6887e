// SPDX-License-Identifier: MIT
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
    for key in [EntryKey.name, EntryKey.exec, "X-Mine"] {
        guard let old = try? KeyFile(text: before) else { return check(false, "an entry that cannot be read again") }
        check(written(last, key) == written(old, key), "another key has changed")
    }
}

/// The last value as it is written, without the ends of lines of other systems, of which GLib drops one each time.
private func written(_ keys: KeyFile, _ key: String) -> [UInt8]? {
    var isInGroup = false
    var value: [UInt8]?
    for line in keys.text.utf8.split(separator: UInt8(ascii: "\n")) {
        if line.first == UInt8(ascii: "[") { isInGroup = line.elementsEqual("[\(EntryKey.group)]".utf8) }
        guard isInGroup, line.starts(with: "\(key)=".utf8) else { continue }
        value = Array(line.dropFirst(key.utf8.count + 1).reversed().drop { $0 == 0x0D }.reversed())
    }
    return value
}
