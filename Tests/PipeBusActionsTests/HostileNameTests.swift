// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBusActions

/// Names and command lines that the fuzzer has found to be taken wrongly.
final class HostileNameTests: XCTestCase {
    func testACutNameEndsWithoutSpace() {
        let name = String(repeating: "x", count: 254) + " and more of it"
        XCTAssertEqual(ResultName.cleaned(name), String(repeating: "x", count: 254))
    }

    /// An action without a name that can be shown has that of its entry, which may be as long as that of a file.
    func testASuffixLongerThanAFileName() throws {
        let id = "org.example." + String(repeating: "x", count: 243)
        let entry = """
            [Desktop Entry]
            Type=Application
            Exec=sox %f out.wav reverse
            X-PipeBus-Output=out.wav
            MimeType=audio/x-wav;

            """
        let action = try XCTUnwrap(
            InstalledAction(id: id, path: "/x.desktop", bytes: Array(entry.utf8), includingEditors: false))
        XCTAssertEqual(action.suffix.utf8.count, 128)
        let name = ResultName.of("Speech.wav", suffix: action.suffix, fileExtension: "wav")
        XCTAssertTrue(name.hasPrefix("Speech (org.example.xxx"), name)
        XCTAssertTrue(name.hasSuffix("x).wav"), name)
        // A name has an end in any case.
        let longest = ResultName.of("Speech", suffix: id, fileExtension: "wav")
        XCTAssertTrue(longest.hasPrefix(" (org."), longest)
    }

    func testTheEndOfOptions() throws {
        let action = ActionDescription(
            id: "org.example.Action", name: "Action", suffix: "Done", parameters: [.number("n", in: 0...9, default: 0)])
        for (words, files) in [
            (["--", "--n", "-x.wav"], ["--n", "-x.wav"]), (["a", "--", "-x.wav"], ["a", "-x.wav"]),
            (["a", "--", "b"], ["a", "b"]), (["--", "--"], ["--"]), (["a", "--", "--", "b"], ["a", "--", "b"]),
            (["-", "a"], ["-", "a"]), (["a", "--n", "3", "b"], ["a", "b"]), (["a", "--n=3", "--", ""], ["a", ""]),
            (["--"], []), ([], []),
        ] {
            let options = try ActionOptions(["action"] + words, of: action)
            XCTAssertEqual(options.files, files, "\(words)")
        }
        XCTAssertThrowsError(try ActionOptions(["action", "--=a.wav"], of: action))
    }
}
