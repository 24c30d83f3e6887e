// SPDX-License-Identifier: MIT
import CGIO
import DesktopSupport
import Glibc
import XCTest

@testable import PipeBusActions

/// What a host can ask an action for, and how it can ask wrongly.
final class RunCallTests: XCTestCase {
    private let action = ActionDescription(
        id: "org.example.Action", name: "Action", suffix: "Done",
        parameters: [
            .number("gain", in: -24...24, unit: "dB", default: 0), .choice("mode", of: ["a", "b"], default: "a"),
            .flag("loud"),
        ])

    private func call(
        _ files: DBusValue = .array(of: "(hss)", [.file(0)]), _ parameters: [String: DBusValue] = [:],
        _ options: [String: DBusValue] = [:]
    ) throws -> RunCall {
        try RunCall(.message([files, .dictionary(parameters), .dictionary(options)], files: 1), to: action)
    }

    private func assertFails(
        _ code: ActionFailure.Code, _ words: String, line: UInt = #line, _ body: () throws -> RunCall
    ) {
        XCTAssertThrowsError(try body(), line: line) { error in
            guard let failure = error as? ActionFailure else { return XCTFail("\(error)", line: line) }
            XCTAssertEqual(failure.code, code, line: line)
            XCTAssertTrue(failure.message.contains(words), failure.message, line: line)
        }
    }

    func testACall() throws {
        let message = DBusReply.message(
            [
                .array(
                    of: "(hss)",
                    [.file(0), .file(1, "a/b", "AUDIO/FLAC"), .file(0, "", ""), .file(0, "T", "text/plain")]),
                .dictionary(["gain": .double(3), "mode": .string("b"), "loud": .boolean(true)]),
                .dictionary(["handle_token": .string("t_1"), "activation_token": .string("x\ny")]),
            ], files: 2)
        let call = try RunCall(message, to: action)
        XCTAssertEqual(call.files.map(\.name), ["Speech.wav", "a_b", "Sound", "T"])
        XCTAssertEqual(call.files.map(\.type), ["audio/x-wav", "audio/flac", nil, nil])
        XCTAssertEqual(call.files[0].descriptor, call.files[2].descriptor)
        withExtendedLifetime(message) {
            for file in call.files { XCTAssertGreaterThanOrEqual(fcntl(file.descriptor, F_GETFD), 0) }
        }
        XCTAssertEqual(call.parameters, ["gain": 3, "mode": "b", "loud": true])
        XCTAssertEqual(call.token, "t_1")
        XCTAssertEqual(call.activationToken, "x\ny")
    }

    /// A message that is too long to be read as a whole is refused: something that is known may be in the rest.
    func testTooManyParameters() throws {
        for (count, isRead) in [(4095, true), (4096, false)] {
            var parameters: [String: DBusValue] = ["gain": .double(3)]
            for number in 0..<count { parameters["a\(number)"] = .boolean(true) }
            let variant = unsafe g_variant_ref_sink(
                DBusValue.makeTuple([
                    .array(of: "(hss)", [.file(0)]), .dictionary(parameters), .dictionary([:]),
                ]))
            defer { unsafe g_variant_unref(variant) }
            let message = DBusReply.message(unsafe DBusValue.values(ofTuple: variant), files: 1)
            if isRead {
                XCTAssertEqual(try RunCall(message, to: action).parameters, ["gain": 3])
            } else {
                assertFails(.refused, "in the form of Docs/Protocols.md") { try RunCall(message, to: action) }
            }
        }
    }

    func testWithoutOptions() throws {
        let call = try call()
        XCTAssertEqual(call.parameters, [:])
        XCTAssertNil(call.token)
        XCTAssertNil(call.activationToken)
        // An action says itself how many sounds it takes.
        XCTAssertEqual(try self.call(.array(of: "(hss)", [])).files, [])
    }

    func testOtherForms() {
        let (files, none) = (DBusValue.array(of: "(hss)", [.file(0)]), DBusValue.dictionary([:]))
        for values in [
            [], [files], [files, none], [files, none, none, none], [none, none, none], [files, files, none],
            [files, none, .other(type: "a{ss}")], [.array(of: "(sss)", []), none, none],
            [.array(of: "v", [.variant(.file(0))]), none, none],
        ] as [[DBusValue]] {
            assertFails(.refused, "no request to an action") { try RunCall(.message(values, files: 1), to: action) }
        }
    }

    func testTokens() throws {
        for token in ["a", "A_0", String(repeating: "x", count: 64)] {
            XCTAssertEqual(try call(options: token).token, token)
        }
        for token in ["", "/", "a/b", "a.b", "../x", "é", "a\n", "a-b", String(repeating: "x", count: 65)] {
            assertFails(.refused, "handle_token") { try call(options: token) }
        }
        // What is no text is no token.
        XCTAssertNil(try call(.array(of: "(hss)", [.file(0)]), [:], ["handle_token": .uint32(7)]).token)
    }

    private func call(options token: String) throws -> RunCall {
        try call(.array(of: "(hss)", [.file(0)]), [:], ["handle_token": .string(token), "other": .string("/")])
    }

    func testFiles() throws {
        let many = Array(repeating: DBusValue.file(0), count: RunCall.mostFiles)
        XCTAssertEqual(try call(.array(of: "(hss)", many)).files.count, RunCall.mostFiles)
        assertFails(.notAccepted, "More than 16 files are too many") {
            try call(.array(of: "(hss)", many + [.file(0)]))
        }
        for file in [
            .file(1), .file(-1), .file(.max), .tuple([]), .tuple([.handle(0), .string("A"), .uint32(0)]),
            .tuple([.uint32(0), .string("A"), .string("audio/x-wav")]),
        ] as [DBusValue] {
            assertFails(.unreadable, "no descriptor, name and type") {
                try call(.array(of: "(hss)", [.file(0), file]))
            }
        }
    }

    func testValues() throws {
        func values(_ given: [String: DBusValue]) throws -> RunCall {
            try call(.array(of: "(hss)", [.file(0)]), given)
        }
        XCTAssertEqual(
            try values(["future": .double(1), "GAIN": .double(99), "": .other(type: "ay")]).parameters, [:])
        for number in [DBusValue.double(24), .int32(24), .int64(24), .uint32(24)] {
            XCTAssertEqual(try values(["gain": number]).parameters, ["gain": 24])
        }
        for value in [
            DBusValue.double(24.1), .double(.nan), .double(-.infinity), .int64(.min), .string("3"), .boolean(true),
            .variant(.double(3)), .other(type: "y"), .array(of: "s", []), .dictionary([:]),
        ] {
            assertFails(.invalidValue, "\"gain\" takes -24 to 24 dB") { try values(["gain": value]) }
        }
        for value in [DBusValue.string("c"), .string(""), .string("a\n"), .double(0), .objectPath("/a")] {
            assertFails(.invalidValue, "\"mode\" takes one of a, b") { try values(["mode": value]) }
        }
        for value in [DBusValue.string("true"), .uint32(1)] {
            assertFails(.invalidValue, "\"loud\" takes true or false") { try values(["loud": value]) }
        }
    }
}
