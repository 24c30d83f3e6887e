// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import XCTest

private struct Opaque {}

/// Larger than what fits into registers, as a cycle is.
private struct Cycle {
    var one = 1
    var two = 2
    var three = 3
    var four = 4
    var five = 5
}

private struct BlockHolder<State> {
    let block: @Sendable (inout State, Cycle) -> Void
}

@unsafe private struct BodyHolder {
    let body: @Sendable (UnsafeMutableRawPointer, UnsafeRawPointer, (inout Opaque, Cycle) -> Void) -> Void
}

@Sendable private func body(
    _ core: UnsafeMutableRawPointer, _ cycle: UnsafeRawPointer, _ block: (inout Opaque, Cycle) -> Void
) {
    unsafe block(&core.assumingMemoryBound(to: Opaque.self).pointee, cycle.assumingMemoryBound(to: Cycle.self).pointee)
}

final class RealtimeCallTests: XCTestCase {
    private func run<State>(_ state: State, _ block: @escaping @Sendable (inout State, Cycle) -> Void) -> State {
        let holder = BlockHolder(block: block)
        let call = unsafe RealtimeCall(body: ClosureWords(of: BodyHolder(body: body)), block: ClosureWords(of: holder))
        var cycle = Cycle()
        let place = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe place.initialize(to: state)
        var words = unsafe call.words(core: place)
        unsafe withUnsafePointer(to: &cycle) {
            // Only its address is handed on.
            unsafe $0.withMemoryRebound(to: crt_cycle.self, capacity: 1) { unsafe crt_run(&words, $0) }
        }
        defer { unsafe place.deallocate() }
        return withExtendedLifetime(holder) { unsafe place.move() }
    }

    func testABlockWithoutCapturesGetsItsStateAndTheCycle() {
        XCTAssertEqual(run(10) { state, cycle in state += cycle.five }, 15)
    }

    func testABlockGetsWhatItCaptured() {
        let text = "a captured text that is longer than fifteen bytes"
        XCTAssertEqual(run("") { state, _ in state = text }, text)
    }

    func testStateMayBeATupleOrHoldReferences() {
        let result = run((1, ["a"])) { state, cycle in
            state.0 += cycle.two
            state.1.append("b")
        }
        XCTAssertEqual(result.0, 3)
        XCTAssertEqual(result.1, ["a", "b"])
    }

    func testStateMayBeEmpty() {
        run(()) { _, cycle in precondition(cycle.three == 3) }
    }

    func testStateMayBeAFunction() {
        let result = run({ 1 } as @Sendable () -> Int) { state, _ in
            let before = state
            state = { before() + 1 }
        }
        XCTAssertEqual(result(), 2)
    }
}
