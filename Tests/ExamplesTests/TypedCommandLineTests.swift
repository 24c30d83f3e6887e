// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import XCTest

@testable import PipeBusCommand

/// What a shell has read, and what it is given to put there.
final class TypedCommandLineTests: XCTestCase {
    func testALineIsTakenApart() {
        for (line, words, current, quote) in [
            ("pipebus con", ["pipebus"], "con", nil), ("pipebus connect ", ["pipebus", "connect"], "", nil),
            ("pipebus connect Grand\\ Pi", ["pipebus", "connect"], "Grand Pi", nil),
            ("pipebus connect \"Grand Pi", ["pipebus", "connect"], "Grand Pi", "\""),
            ("pipebus connect 'Gr\\", ["pipebus", "connect"], "Gr\\", "'"),
            ("pipebus connect \"a\\\"b\\c\" '' x", ["pipebus", "connect", "a\"b\\c", ""], "x", nil),
            ("A=1; sleep 2 && pipebus  mute 'a;b' ", ["pipebus", "mute", "a;b"], "", nil), ("", [], "", nil),
            ("pipebus $(rm x) `", ["rm", "x)"], "`", nil),
        ] as [(String, [String], String, Character?)] {
            let typed = TypedCommandLine(line)
            XCTAssertEqual(typed.words, words, line)
            XCTAssertEqual(typed.current, current, line)
            XCTAssertEqual(typed.quote, quote, line)
        }
        let breaks = " \t\n\"'@><=;|&(:"
        for (line, count) in [
            ("p a:b", 1), ("p a:b:", 2), ("p \"a:b", 0), ("p a\\:b", 0), ("p a:b c", 0), ("p a=b:", 2),
        ] {
            XCTAssertEqual(TypedCommandLine(line, breakCharacters: breaks).breaks, count, line)
        }
        XCTAssertEqual(TypedCommandLine("p a:b").breaks, 0)
        XCTAssertEqual(TypedCommandLine(String(repeating: "a:", count: 1_000_000)).current.count, 10_000)
    }

    func testWhatStandsAtAPlaceIsKnown() {
        let commands = PipeBusCommand.commands
        for (line, slot) in [
            ("pipebus ", CompletionSlot.command), ("pipebus con", .command), ("pipebus help ", .command),
            ("pipebus --v", .option), ("pipebus connect ", .source), ("pipebus connect a ", .destination),
            ("pipebus connect --timeout 3 a b", .destination), ("pipebus connect --remote x --wait ", .source),
            ("pipebus connect a b ", .destination), ("pipebus connect a b c d", .destination),
            ("pipebus connect --t", .option), ("pipebus disconnect ", .connected),
            ("pipebus list ", .any), ("pipebus ls ", .any), ("pipebus ls --js", .option),
            ("pipebus disconnect a ", .connectedDestination), ("pipebus volume ", .mixedSource),
            ("pipebus mute a ", .mixer), ("pipebus bypass ", .filter),
            ("pipebus action ", .words(["list", "run"])), ("pipebus action --h", .option),
            ("pipebus action list ", .file), ("pipebus action run ", .action), ("pipebus action run a ", .file),
            ("pipebus action run a b ", .file), ("pipebus action run --then ", .action),
            ("pipebus action run --s", .option), ("pipebus action run a b --output ", .file),
            ("pipebus completion b", .words(["bash", "zsh", "fish"])),
        ] {
            XCTAssertEqual(CompletionRequest(TypedCommandLine(line), commands: commands).slot, slot, line)
        }
        for line in [
            "", "pipebus", "pipebus nonsense ", "pipebus disconnect a b ", "pipebus connect --timeout ",
            "pipebus list a ", "pipebus action nonsense ", "pipebus action run a --set ",
        ] {
            XCTAssertNil(CompletionRequest(TypedCommandLine(line), commands: commands).slot, line)
        }
        let line = TypedCommandLine("pipebus connect --remote /x/y ")
        XCTAssertEqual(CompletionRequest(line, commands: commands).remote, "/x/y")
    }

    func testAWordIsQuotedForAShell() {
        for (word, quoted, escaped) in [
            ("Tone", "Tone", "Tone"), ("Grand Piano", "'Grand Piano'", "Grand\\ Piano"), ("", "''", ""),
            ("it's", "'it'\\''s'", "it\\'s"), ("$(x)", "'$(x)'", "\\$\\(x\\)"), ("Größe", "'Größe'", "Größe"),
            // The semicolon is part of another Character.
            (";\u{301}x", "';\u{301}x'", "\\;\u{301}x"),
        ] {
            XCTAssertEqual(ShellText.quoted(word), quoted)
            XCTAssertEqual(ShellText.escaped(word), escaped)
        }
        for (name, shown) in [
            ("Tone.out", "Tone.out"), ("Grand Piano", "Grand Piano"), ("it's", "it's"), ("a:b", "a:b"),
            ("say \"hi\"", "'say \"hi\"'"), ("\"it's\"", "'\"it'\\''s\"'"), ("$HOME", "'$HOME'"), ("a\\b", "'a\\b'"),
            ("hi!", "'hi!'"), ("`id`", "'`id`'"),
        ] { XCTAssertEqual(ShellText.shown(name), shown) }
        XCTAssertEqual(ShellText.betweenQuotes("a\"$`\\b"), "a\\\"\\$\\`\\\\b")
        XCTAssertNil(ShellText.betweenQuotes("!\u{301}"))
    }
}
