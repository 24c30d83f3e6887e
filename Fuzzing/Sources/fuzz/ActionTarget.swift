// SPDX-License-Identifier: MIT
import CGIO
import Glibc

@testable import DesktopSupport
@testable import PipeBusActions

/// What other programs write and send to actions and to those who run them. The first byte says what the others are.
func fuzzAction(_ input: Input) {
    prepared
    // The digits "0"… in a file of the corpus.
    switch (input.byte() &- 0x30) % 5 {
    case 0: fuzzActionEntry(input)
    case 1: fuzzMessage(input)
    case 2: fuzzMessageBody(input)
    case 3: fuzzNames(input)
    default: fuzzCommandLine(input)
    }
}

/// GLib says what it was called wrongly with, and goes on. Here that is a failure.
private let prepared: Void = {
    _ = g_log_set_always_fatal(GLogLevelFlags(rawValue: G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_WARNING.rawValue))
    unsafe setlocale(LC_ALL, "C.UTF-8")
}()

/// An action with all kinds of parameters.
let fuzzedAction = ActionDescription(
    id: "org.example.Action", name: "Action", suffix: "Done",
    parameters: [
        .number("gain", in: -24...24, unit: "dB", default: 0), .choice("mode", of: ["a", "b c", "é"], default: "a"),
        .flag("loud"), .number("n", in: 0...0, default: 0),
    ])

/// Checks the values that somebody has given.
func checkValues(_ values: [String: ActionValue]) {
    for (name, value) in values {
        guard let parameter = fuzzedAction.parameters.first(where: { $0.name == name }) else {
            fatalError("a parameter that the action has not: \(name)")
        }
        let isTaken =
            switch (parameter.kind, value) {
            case (.number(let range, _, _), .number(let number)): range.contains(number)
            case (.choice(let words, _), .text(let word)): words.contains(word)
            case (.flag, .flag): true
            default: false
            }
        check(isTaken, "\(name) has the value \(value)")
    }
}

/// Checks a sentence for people.
func checkSentence(_ text: String) {
    // 1000 characters of another program's words; one has 4 bytes, and a few more scalars.
    checkShowable(text, atMost: 8 * 1000 + 3, "a sentence")
    check(text.hasSuffix(".") || text.hasSuffix("…"), "a reason that is no sentence: \(text)")
}

// MARK: Entries

/// A desktop entry, and its lines as parameters.
private func fuzzActionEntry(_ input: Input) {
    let id = input.byte().isMultiple(of: 2) ? "org.example.Action" : "org." + String(repeating: "x", count: 251)
    let bytes = input.rest
    for includesEditors in [false, true] {
        guard
            let action = InstalledAction(
                id: id, path: "/x.desktop", bytes: bytes, includingEditors: includesEditors)
        else { continue }
        checkAction(action)
        check(includesEditors || !action.isEditor, "an editor that nobody asked for")
    }
    for line in String(decoding: bytes, as: UTF8.self).unicodeScalars.split(separator: "\n") {
        if let parameter = ActionParameter(text: String(line)) { checkParameter(parameter) }
    }
}

private func checkAction(_ action: InstalledAction) {
    for text in [action.comment ?? "a", action.iconName ?? "a"] {
        checkShowable(text, atMost: EntryText.longest, "a text of an entry")
    }
    checkShowable(action.name, atMost: 255, "a name")
    checkShowable(action.suffix, atMost: 255, "a suffix")
    check(!action.name.isEmpty && !action.suffix.isEmpty, "an empty name")
    check((1...1000).contains(action.acceptedTypes.count), "\(action.acceptedTypes.count) types")
    check(action.acceptedTypes.allSatisfy(\.isValid), "a type that is none")
    for name in ["Speech.wav", "x", String(repeating: "é", count: 127)] {
        checkFileName(ResultName.of(name, suffix: action.suffix, fileExtension: "wav"))
    }
    if case .program(let output?) = action.transport { checkFileName(output) }
    check(action.parameters.count <= ActionDescription.largestParameterCount, "too many parameters")
    check(Set(action.parameters.map(\.name)).count == action.parameters.count, "two parameters of one name")
    for parameter in action.parameters { checkParameter(parameter) }
    _ = action.accepts([.placeholder("audio/flac"), .placeholder("text/plain")])
}

private func checkParameter(_ parameter: ActionParameter) {
    check(parameter.isValid, "a parameter that cannot be declared")
    checkShowable(parameter.title, atMost: EntryText.longest, "a title")
    checkShowable(parameter.rangeText, "a range")
    check(ActionParameter(text: parameter.text) == parameter, "a parameter that does not come back: \(parameter)")
    do {
        let value = try parameter.value(typed: parameter.defaultValue.typed)
        check(value == parameter.defaultValue, "another default: \(parameter)")
    } catch {
        fatalError("a default that cannot be typed: \(parameter)")
    }
    for text in ["", "nan", "x", "true"] {
        do { _ = try parameter.value(typed: text) } catch { checkSentence(error.message) }
    }
}
