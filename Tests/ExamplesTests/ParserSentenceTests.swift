// SPDX-License-Identifier: MIT
import XCTest

@testable import ToolSupport

/// Sentences of the argument parser, and what the tools make of them.
final class ParserSentenceTests: XCTestCase {
    func testEachSaysWhatToDo() {
        for (sentence, expected) in [
            ("The value 'x' is invalid for '--lanes <k>'", "--lanes takes a number, not 'x'; see tool --help."),
            ("The value '' is invalid for '--lanes <k>'", "--lanes takes a number, not ''; see tool --help."),
            ("The value 'nan' is invalid for '--lanes <k>'", "--lanes takes a number, not 'nan'; see tool --help."),
            (
                "The value '1e9' is invalid for '--lanes <k>'",
                "--lanes takes a whole number in digits, not '1e9'; see tool --help."
            ),
            (
                "The value '-1e19' is invalid for '--lanes <k>'",
                "--lanes takes a smaller number, not '-1e19'; see tool --help."
            ),
            // Values that look like a part of the sentence.
            (
                "The value '' is invalid for '--a <b>' is invalid for '--lanes <k>'",
                "--lanes takes a number, not '' is invalid for '--a <b>'; see tool --help."
            ),
            (
                "The value ''. Please provide one of x' is invalid for '--kind <k>'. Please provide one of 'a' or 'b'.",
                "--kind takes 'a' or 'b', not ''. Please provide one of x'; see tool --help."
            ),
            ("The value 'x' is invalid for '<name>'", "The value 'x' is invalid for '<name>'; see tool --help."),
            (
                "The value 'x' is invalid for '--gain <db>': a gain is a number.",
                "The value 'x' is invalid for '--gain <db>': a gain is a number; see tool --help."
            ),
            ("Unknown option '--x'", "Unknown option '--x'; see tool --help."),
            (
                "Unknown option '--lane'. Did you mean '--lanes'?",
                "Unknown option '--lane', where '--lanes' may be meant; see tool --help."
            ),
            ("2 unexpected arguments: 'a', 'b'", "2 unexpected arguments: 'a', 'b'; see tool --help."),
            ("Missing value for '--x <y>'", "Missing value for '--x <y>'; see tool --help."),
        ] { XCTAssertEqual(ParserSentence.complete(sentence, help: "tool --help"), expected) }
    }

    func testThoseOfACommandStayAsTheyAre() {
        let sentence = "--lanes takes 1 to 64 lanes, not 65."
        XCTAssertEqual(ParserSentence.complete(sentence, help: "tool --help"), sentence)
    }
}
