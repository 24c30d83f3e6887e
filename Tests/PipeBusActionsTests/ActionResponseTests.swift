// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc
import XCTest

@testable import PipeBusActions

/// What the response of an action can say, and how it can lie.
final class ActionResponseTests: XCTestCase {
    private func files(of message: DBusReply, line: UInt = #line) throws -> [ActionResponse.File] {
        guard case .completed(let files) = try ActionResponse(message) else {
            XCTFail("no files", line: line)
            return []
        }
        return files
    }

    private func assertFault(_ message: DBusReply, _ fault: ActionResponse.Fault, line: UInt = #line) {
        XCTAssertThrowsError(try ActionResponse(message), line: line) {
            XCTAssertEqual($0 as? ActionResponse.Fault, fault, line: line)
        }
    }

    func testCompleted() throws {
        let message = DBusReply.completed(
            [.file(1, "A.wav"), .file(0, "../B\n.wav", "no type"), .file(1, "")],
            notes: .array(of: "s", [.string(""), .string("It was cut.")]), descriptors: 2)
        let files = try files(of: message)
        XCTAssertEqual(files.map(\.name), ["A.wav", "../B\n.wav", ""])
        // A file without a note has an empty one.
        XCTAssertEqual(files.map(\.note), ["", "It was cut.", ""])
        XCTAssertEqual(files[0].descriptor, files[2].descriptor)
        XCTAssertNotEqual(files[0].descriptor, files[1].descriptor)
        withExtendedLifetime(message) {
            for file in files { XCTAssertGreaterThanOrEqual(fcntl(file.descriptor, F_GETFD), 0) }
        }
    }

    func testNotesOfAnotherForm() throws {
        for notes in [
            DBusValue.string("one"), .array(of: "v", [.variant(.string("one"))]), .dictionary([:]), .other(type: "ay"),
            .array(of: "s", []),
        ] {
            let files = try files(of: .completed([.file(0)], notes: notes, descriptors: 1))
            XCTAssertEqual(files.map(\.note), [""], "\(notes)")
        }
        // There may be more of them than files.
        let many = DBusValue.array(of: "s", (0..<9).map { .string("\($0)") })
        XCTAssertEqual(try files(of: .completed([.file(0)], notes: many, descriptors: 1)).map(\.note), ["0"])
    }

    func testCancelled() throws {
        XCTAssertEqual(try ActionResponse(.message([.uint32(1), .dictionary([:])])), .cancelled)
        // Files do not matter then.
        let details = DBusValue.dictionary(["files": .array(of: "(hss)", [.file(0)])])
        XCTAssertEqual(try ActionResponse(.message([.uint32(1), details], files: 1)), .cancelled)
    }

    func testFailed() throws {
        func reason(_ code: UInt32, _ details: [String: DBusValue]) throws -> ActionResponse {
            try ActionResponse(.message([.uint32(code), .dictionary(details)]))
        }
        XCTAssertEqual(
            try reason(2, ["message": .string("No \u{1B}[31moven.")]), .failed(reason: "No \u{FFFD}[31moven."))
        XCTAssertEqual(try reason(2, ["message": .variant(.string("Cold."))]), .failed(reason: "Cold."))
        XCTAssertEqual(try reason(3, [:]), .failed(reason: ""))
        XCTAssertEqual(try reason(.max, ["message": .uint32(7)]), .failed(reason: ""))
        let long = try reason(2, ["message": .string(String(repeating: "x\n", count: 9999))])
        guard case .failed(let text) = long else { return XCTFail("\(long)") }
        XCTAssertEqual(text.count, ActionResponse.longestReason + 1)
    }

    func testOtherForms() {
        for values in [
            [], [.uint32(0)], [.dictionary([:])], [.int32(0), .dictionary([:])], [.uint32(0), .string("done")],
            [.uint32(0), .dictionary([:]), .string("more")], [.uint32(1), .other(type: "a{ss}")],
            [.variant(.uint32(0)), .dictionary([:])],
        ] as [[DBusValue]] {
            assertFault(.message(values), .otherForm)
        }
    }

    func testNoFiles() {
        for details in [
            [:], ["files": .array(of: "(hss)", [])], ["files": .string("Speech.wav")], ["files": .file(0)],
            ["files": .variant(.array(of: "(hss)", [.file(0)]))], ["files": .other(type: "ah")],
        ] as [[String: DBusValue]] {
            assertFault(.message([.uint32(0), .dictionary(details)], files: 1), .noFiles)
        }
    }

    func testTooManyFiles() throws {
        let many = Array(repeating: DBusValue.file(0), count: ActionResponse.mostFiles)
        XCTAssertEqual(try files(of: .completed(many, descriptors: 1)).count, ActionResponse.mostFiles)
        assertFault(.completed(many + [.file(0)], descriptors: 1), .tooManyFiles)
    }

    func testFilesWithoutDescriptor() {
        for file in [
            .file(1), .file(-1), .file(.max), .file(.min), .tuple([]), .tuple([.handle(0), .string("A.wav")]),
            .tuple([.uint32(0), .string("A.wav"), .string("audio/x-wav")]),
            .tuple([.handle(0), .objectPath("/a"), .string("audio/x-wav")]),
            .tuple([.handle(0), .string("A.wav"), .string("audio/x-wav"), .string("")]), .string("A.wav"),
        ] as [DBusValue] {
            assertFault(.completed([file], descriptors: 1), .fileWithoutDescriptor)
            // One that is right does not help.
            assertFault(.completed([.file(0), file], descriptors: 1), .fileWithoutDescriptor)
        }
        assertFault(.completed([.file(0)], descriptors: 0), .fileWithoutDescriptor)
    }
}
