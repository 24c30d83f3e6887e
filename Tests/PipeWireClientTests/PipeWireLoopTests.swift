// SPDX-License-Identifier: MIT
import PipeWireClient
import Synchronization
import XCTest

/// An actor that lives on a loop, as a client does. No daemon is needed for that.
private actor Resident {
    nonisolated let loop: PipeWireLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private(set) var count = 0

    init(_ loop: PipeWireLoop) { self.loop = loop }

    func increment() { count += 1 }

    private let isInside = Atomic<Bool>(false)

    /// Takes long enough for another job to meet it, if the executor let one.
    func isAlone() -> Bool {
        let wasInside = isInside.exchange(true, ordering: .acquiringAndReleasing)
        // Busy, not asleep: what is looked for is another job at this very moment.
        let until = ContinuousClock.now.advanced(by: .microseconds(200))
        while ContinuousClock.now < until {}
        isInside.store(false, ordering: .releasing)
        return !wasInside
    }

    var isOnLoop: Bool { loop.isCurrent }

    /// Enters as a C callback does.
    nonisolated func enterFromCallback() { assumeIsolated { $0.count += 1 } }

    private var answer = Waiter<Int>()

    func waitForTimer(_ delay: Duration) async throws {
        let timer = LoopTimer(on: loop, after: delay) { [unowned self] in
            enterFromCallback()
            assumeIsolated { $0.answer.resume(returning: 7) }
        }
        defer { timer.cancel() }
        let value = try await answer.value(within: .seconds(10), on: loop, waitingFor: "the timer")
        XCTAssertEqual(value, 7)
    }

    func waitInVain() async throws {
        try await Waiter<Void>().value(within: .milliseconds(20), on: loop, waitingFor: "nothing")
    }
}

final class PipeWireLoopTests: XCTestCase {
    func testJobsOfManyTasksRunOneAtATimeOnTheLoop() async throws {
        let resident = Resident(try PipeWireLoop())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1000 { await resident.increment() } } }
        }
        let count = await resident.count
        XCTAssertEqual(count, 8000)
        let isOnLoop = await resident.isOnLoop
        XCTAssertTrue(isOnLoop)
        XCTAssertFalse(resident.loop.isCurrent)
        resident.loop.stop()
    }

    func testACallbackOnTheLoopMayEnterTheActor() async throws {
        let resident = Resident(try PipeWireLoop())
        try await resident.waitForTimer(.milliseconds(1))
        let count = await resident.count
        XCTAssertEqual(count, 1)
        resident.loop.stop()
    }

    func testAWaitEndsWhenItsTimeIsUp() async throws {
        let resident = Resident(try PipeWireLoop())
        do {
            try await resident.waitInVain()
            XCTFail("it came back")
        } catch PipeWireError.timedOut(let what) {
            XCTAssertTrue(what.contains("nothing"), what)
        }
        resident.loop.stop()
    }

    func testAfterTheLoopHasStoppedAnAwaitStillComesBack() async throws {
        try await comeBack(Resident(try PipeWireLoop()))
    }

    func testAlsoWhenTheSystemHasNoThreadLeft() async throws {
        try await comeBack(Resident(try PipeWireLoop(isShortOfThreads: true)))
    }

    private func comeBack(_ resident: Resident) async throws {
        await resident.increment()
        resident.loop.stop()
        resident.loop.stop()
        for _ in 0..<100 { await resident.increment() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<100 { await resident.increment() } } }
        }
        let count = await resident.count
        XCTAssertEqual(count, 901)
        // And still as one at a time, in a context that counts as the actor's own.
        let isOnLoop = await resident.isOnLoop
        XCTAssertTrue(isOnLoop)
    }

    func testStoppingWhileJobsComeLosesNone() async throws {
        for _ in 0..<20 {
            let resident = Resident(try PipeWireLoop())
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { for _ in 0..<50 { await resident.increment() } } }
                group.addTask { resident.loop.stop() }
            }
            let count = await resident.count
            XCTAssertEqual(count, 200)
        }
    }

    func testStoppingNeverLetsTwoJobsMeet() async throws {
        for _ in 0..<20 {
            let resident = Resident(try PipeWireLoop())
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var wasAlone = true
                        for _ in 0..<8 where await !resident.isAlone() { wasAlone = false }
                        return wasAlone
                    }
                }
                group.addTask {
                    // In the middle of the others' jobs.
                    _ = await resident.isAlone()
                    resident.loop.stop()
                    return true
                }
                for await wasAlone in group { XCTAssertTrue(wasAlone) }
            }
        }
    }
}
