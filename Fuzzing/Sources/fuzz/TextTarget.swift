// SPDX-License-Identifier: MIT
import ConnectionGraph

@testable import PipeBus

/// Texts that are shown, and names that are typed or come from other processes.
func fuzzText(_ input: Input) {
    let text = String(decoding: input.rest, as: UTF8.self)
    let printable = TerminalText.printable(text)
    // The longest scalar has 4 bytes, and U+FFFD has 3 in place of at least one.
    checkShowable(printable, atMost: 3 * text.utf8.count, "a printable text")
    check(
        printable.unicodeScalars.count == text.unicodeScalars.count, "a printable text has lost or gained characters")
    check(TerminalText.printable(printable) == printable, "a printable text is not printable")
    check(TerminalText.printable(Substring(text)) == printable, "a part of a text is treated in another way")

    // 128 scalars of 4 bytes, and an ellipsis.
    let shown = Names.shown(text)
    checkShowable(shown, atMost: 4 * 128 + 3, "a shown name")
    check(shown.count <= 65, "a shown name has \(shown.count) characters")

    checkNotice(text)
    checkNames(text)
    checkMessages(text)
}

/// What other processes publish and request.
private func checkMessages(_ text: String) {
    if let bytes = Base64.bytes(text) { check(Base64.text(bytes) == text, "two texts of the same bytes") }
    if let request = QuitMessage.Request(text) {
        check(QuitMessage.Request(request.text) == request, "a request to end reads differently")
    }
    if case .refuse(let reason) = QuitMessage.answer(in: text, to: "word") {
        checkShowable(reason, atMost: 4 * 128 + 3, "a reason not to end")
    }
    let key = text.split(separator: "\n", maxSplits: 1)
    for part in ["kind", "state", "title", "icon", "color", "place"] {
        var values = ["trigger/a/kind": "button", "trigger/a/state": "normal"]
        values["trigger/a/\(part)"] = text
        values["trigger/\(key.first ?? "")/kind"] = "play"
        values[text] = "normal"
        for trigger in Trigger.all(in: values) {
            checkShowable(trigger.face.title, atMost: Names.longestName, "a title")
            if let icon = trigger.face.iconName { checkShowable(icon, atMost: Names.longestName, "an icon") }
            check(Trigger.isValid(id: trigger.id), "a trigger with another id")
        }
    }
}

private func checkNotice(_ text: String) {
    checkShowable(Notice(kind: .requestRefused, port: nil, message: text).message, "a notice")
}

private func checkNames(_ text: String) {
    for whole in [text, text + ".example"] {
        do {
            try Names.check(appID: whole)
            checkShowable(whole, atMost: AppID.longest, "an accepted app id")
        } catch {
            checkError(error)
        }
    }
    do {
        try Names.check(name: text, of: "a port")
        checkShowable(text, atMost: Names.longestName, "an accepted name")
        check(!text.utf8.contains { $0 == 0x3A || $0 == 0x2F }, "an accepted name with a separator")
        check(!text.isEmpty, "an accepted name is empty")
    } catch {
        checkError(error)
    }
}

private func checkError(_ error: any Error) {
    guard let error = error as? PipeBusError else { fatalError("another error: \(error)") }
    checkShowable(error.message, atMost: 1024, "an error's message")
}
