// SPDX-License-Identifier: MIT
import ConnectionGraph

@testable import PipeBusActions

/// A command line of an action: a word a line.
func fuzzCommandLine(_ input: Input) {
    let text = String(decoding: input.rest.filter { $0 != 0 }, as: UTF8.self)
    // These are answered, and end the process.
    guard !["help", "-h", "-?"].contains(where: { text.contains($0) }) else { return }
    let words = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    do {
        let options = try ActionOptions(["action"] + words, of: fuzzedAction)
        checkValues(options.parameters)
        check(options.files.count <= words.count && options.files.allSatisfy { words.contains($0) }, "another file")
        // Behind "--" everything is a file.
        if let end = words.firstIndex(of: "--"), words[..<end].allSatisfy({ $0.utf8.first != 0x2D || $0 == "-" }) {
            check(options.files == Array(words[..<end]) + Array(words[(end + 1)...]), "other files: \(options.files)")
        }
        if words.allSatisfy({ $0.utf8.first != 0x2D }) {
            check(options.files == words && options.parameters.isEmpty, "other files: \(options.files)")
        }
    } catch {
        check(!error.message.isEmpty, "a failure without a reason")
        checkShowable(error.message.printable, "a reason")
    }
}
