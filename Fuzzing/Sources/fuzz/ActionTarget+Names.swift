// SPDX-License-Identifier: MIT
import CGIO
import ConnectionGraph

@testable import PipeBusActions

/// Checks that a text can be the name of a file in a folder, and of no other one.
func checkFileName(_ name: String) {
    check(!name.isEmpty, "a file without a name")
    check(name != "." && name != "..", "the name of a folder")
    check(!name.utf8.contains { $0 == 0x2F || $0 == 0 }, "a name with a slash")
    checkShowable(name, atMost: 255, "a name")
}

/// Names that other programs give files and types: a name, a suffix and an extension, a line each.
func fuzzNames(_ input: Input) {
    let number = 2 + input.number(below: 256) * 39
    let text = String(decoding: input.rest, as: UTF8.self)
    let lines = text.unicodeScalars.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        .map { String($0) }
    for name in [text] + lines { checkCleaned(name, number) }
    // What a file of this computer has: anything but a slash, and it is shown.
    let own = lines[0].unicodeScalars.split(separator: "/").last.map { String($0).printable } ?? "Sound"
    let shown = own.isEmpty || own.utf8.contains(0) ? "Sound" : own
    for suffix in lines where ActionText.isShown(suffix) && ResultName.isSuffix(suffix) {
        for fileExtension in ["", "wav", "aiff"] {
            let result = ResultName.of(shown, suffix: suffix, fileExtension: fileExtension)
            checkFileName(result)
            check(result.hasSuffix("(\(suffix))" + (fileExtension.isEmpty ? "" : "." + fileExtension)), "another end")
        }
    }
    for name in lines { checkType(name, input.rest) }
}

private func checkCleaned(_ given: String, _ number: Int) {
    _ = ResultName.fileExtension(of: given)
    check(ResultName.stem(of: given, atMost: 20).utf8.count <= 20, "a long stem")
    guard let name = ResultName.cleaned(given) else { return }
    checkFileName(name)
    check(name.utf8.first != UInt8(ascii: "."), "a hidden file")
    check(ResultName.cleaned(name) == name, "a clean name that becomes another one: \(name)")
    let other = ResultName.numbered(name, number)
    checkFileName(other)
    check(other != ResultName.numbered(name, number + 1), "two numbers with one name")
    check(
        ResultName.fileExtension(of: other) == ResultName.fileExtension(of: name), "a number that takes the extension")
}

private func checkType(_ name: String, _ bytes: [UInt8]) {
    let type = MIMEType(name)
    check(MIMEType(type.name) == type, "a type that becomes another one")
    if type.isValid {
        checkShowable(type.name, atMost: 255, "a type")
        check(type.name.utf8.count { $0 == 0x2F } == 1, "a type with another number of slashes")
        check(type.conforms(to: type), "a type that is no kind of itself")
    }
    check(type.isValid || !type.isSound && !type.conforms(to: type), "what is no type is a kind of one")
    // By its name and its first bytes.
    guard let file = ResultName.cleaned(name) else { return }
    check(MIMEType(ofFileNamed: file, beginning: bytes).isValid, "a file of no type")
}
