// SPDX-License-Identifier: MIT

/// Ends the process, which libFuzzer reports with the input.
func check(_ isTrue: Bool, _ message: @autoclosure () -> String) {
    if !isTrue { fatalError(message()) }
}

/// Checks that a terminal shows a text on one line and does nothing else.
///
/// The scalars are listed here once more: the library's own test must not be the judge.
func checkShowable(_ text: String, atMost longest: Int = .max, _ what: @autoclosure () -> String) {
    for scalar in text.unicodeScalars {
        let isActedOn =
            switch scalar.value {
            case 0...0x1F, 0x7F...0x9F: true  // control characters, ends of lines
            case 0x2028, 0x2029: true  // line and paragraph separators
            case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // marks of direction
            default: false
            }
        check(!isActedOn, "\(what()) contains U+\(String(scalar.value, radix: 16))")
    }
    check(text.utf8.count <= longest, "\(what()) has \(text.utf8.count) bytes, more than \(longest)")
}
