// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class BlockStateTests: XCTestCase {
    private struct Holder { let function: @Sendable (Int) -> Void }
    private struct Unique: ~Copyable {}

    /// Memory would be allocated in every cycle, and the stack would overflow in the end.
    func testAFunctionIsRefused() {
        let function: @Sendable (Int) -> Void = { _ in }
        let once: @Sendable () async throws -> [Int] = { [] }
        for state in [
            { try BlockState(function) }, { try BlockState(once) }, { try BlockState((1, function)) },
            { try BlockState((1, (2, function))) }, { try BlockState(Optional(function)) },
            { try BlockState((1, Optional(Optional(function)))) },
        ] {
            XCTAssertThrowsError(try state()) { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument)
                XCTAssertTrue("\(error)".contains("put it into a struct"), "\(error)")
            }
        }
    }

    func testEveryOtherStateIsTaken() throws {
        let function: @Sendable (Int) -> Void = { _ in }
        _ = try BlockState(())
        _ = try BlockState(Unique())
        _ = try BlockState((1, 2.0, "three"))
        _ = try BlockState(Holder(function: function))
        // In these Swift keeps the function in one form everywhere.
        _ = try BlockState(Optional([function]))
        _ = try BlockState([function])
        _ = try BlockState(["one": function])
    }
}
