// SPDX-License-Identifier: MIT
import DesktopSupport
import Foundation
import XCTest

@testable import PipeBusActions

/// What an action is given, and what is taken from it.
final class ActionCallTests: XCTestCase {
    private func call(on file: MemoryFile, limits: ActionLimits = ActionLimits()) throws -> ActionCall {
        let entry = "[Desktop Entry]\nType=Application\nName=Act\nExec=act %f\nX-PipeBus-Output=%f\nMimeType=audio/*;\n"
        let action = try XCTUnwrap(
            InstalledAction(
                id: "org.example.Act", path: "/x.desktop", bytes: Array(entry.utf8), includingEditors: false))
        let descriptor = try XCTUnwrap(OwnedDescriptor.reopened(file.descriptor))
        return ActionCall(
            action: action, inputs: [ActionCall.Input(name: "Speech.wav", type: "audio/x-wav", descriptor: descriptor)],
            parameters: [:], limits: limits, deadline: limits.whole.map { .now + $0 }, folder: NSTemporaryDirectory())
    }

    func testACopyIsAnotherFile() async throws {
        let file = MemoryFile(Array("a sound".utf8))
        let copied = try await call(on: file).copied()
        file.put(Array("A SOUND".utf8), at: 0)
        let descriptor = copied.inputs[0].descriptor
        var bytes = [UInt8](repeating: 0, count: 20)
        XCTAssertEqual(unsafe pread(descriptor.number, &bytes, bytes.count, 0), 7)
        XCTAssertEqual(Array(bytes.prefix(7)), Array("a sound".utf8))
        XCTAssertEqual(unsafe write(descriptor.number, "x", 1), -1, "it is for reading alone")
    }

    /// A file of two states is none that anybody has had.
    func testAFileThatIsChangedMeanwhile() async throws {
        let file = MemoryFile()
        file.size = 64 << 20
        let call = try call(on: file)
        let scratch = try ScratchFile.make(in: NSTemporaryDirectory())
        var blocks = 0
        XCTAssertThrowsError(
            try scratch.copy(from: file.descriptor, byteCount: 64 << 20) {
                blocks += 1
                if blocks == 3 { throw CancellationError() }
            })
        XCTAssertEqual(blocks, 3)
        // One becomes longer all the time, also while it is copied at once by a file system that shares it.
        let writer = Thread { [descriptor = file.descriptor] in
            while !Thread.current.isCancelled {
                _ = unsafe pwrite(descriptor, "x", 1, lseek(descriptor, 0, SEEK_END))
            }
        }
        writer.start()
        defer { writer.cancel() }
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        while file.size == 64 << 20, .now < deadline { sched_yield() }
        do {
            _ = try await call.copied()
            XCTFail("it was copied")
        } catch let failure as ActionFailure {
            XCTAssertEqual(failure.code, .unreadable)
            XCTAssertTrue(failure.message.contains("was changed by another program"), failure.message)
        }
        withExtendedLifetime(file) {}
    }

    /// The time limit is that of all of it, also of what the host does.
    func testNoTimeIsLeft() async throws {
        let file = MemoryFile(Array("a sound".utf8))
        let call = try call(on: file, limits: ActionLimits(whole: .nanoseconds(1)))
        for part in [{ _ = try await call.copied() }, { _ = try await call.result(of: file.descriptor, named: "x") }] {
            do {
                try await part()
                XCTFail("it had no time")
            } catch let failure as ActionFailure {
                XCTAssertEqual(failure.code, .timedOut)
                XCTAssertEqual(failure.message, "Act was not done within 0 s; give it more time.")
            }
        }
    }
}
