// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The small parts of a session, without one.
final class SessionPartsTests: XCTestCase {
    func testARefreshIsStartedOnceForABurst() {
        var started = 0
        var due = 0
        let jobs = JobQueue { started += 1 }
        let refresh = Refresh(jobs)
        refresh.onDue = {
            due += 1
            XCTAssertTrue(refresh.take(.ports))
            XCTAssertFalse(refresh.take(.ports), "it is up to date now")
            // What is marked while the job runs needs another one, also if the running one may still come to it.
            refresh.mark(.receivers)
            refresh.mark(.graphReaders)
        }
        refresh.mark(.ports)
        refresh.mark([.latencies, .ports])
        XCTAssertEqual(started, 1)
        jobs.run()
        XCTAssertEqual([due, started], [1, 2])
        XCTAssertTrue(refresh.take(.latencies))
        XCTAssertTrue(refresh.isStale(.receivers))
    }

    func testJobsRunInOrderAndOnce() {
        var started = 0
        let jobs = JobQueue { started += 1 }
        var done: [Int] = []
        for number in 1...3 { jobs.add { done.append(number) } }
        XCTAssertEqual(started, 3)
        for _ in 0..<5 { jobs.run() }
        XCTAssertEqual(done, [1, 2, 3])
    }

    func testManyJobsRunInOrderAlsoIfTheyAddOthers() {
        let jobs = JobQueue {}
        var done: [Int] = []
        for number in 0..<1000 {
            jobs.add {
                done.append(number)
                jobs.add { done.append(1000 + number) }
            }
        }
        for _ in 0..<2500 { jobs.run() }
        XCTAssertEqual(done, Array(0..<2000))
    }

    func testABroadcastersReadersHaveTheNewestValue() async {
        let broadcaster = Broadcaster<Int>()
        let first = broadcaster.subscribe(first: [0])
        let second = broadcaster.subscribe()
        XCTAssertTrue(broadcaster.hasReaders)
        for value in 1...3 { broadcaster.send(value) }
        broadcaster.finish()
        var values: [[Int]] = [[], []]
        for await value in first { values[0].append(value) }
        for await value in second { values[1].append(value) }
        XCTAssertEqual(values, [[3], [3]])
        XCTAssertFalse(broadcaster.hasReaders)
        var late: [Int] = []
        for await value in broadcaster.subscribe(first: [9]) { late.append(value) }
        XCTAssertEqual(late, [9], "what was there can be read, and nothing comes after it")
    }

    func testAReaderThatGoesIsForgotten() async throws {
        let broadcaster = Broadcaster<Int>()
        let reader = Task { [stream = broadcaster.subscribe()] in for await _ in stream {} }
        reader.cancel()
        await reader.value
        XCTAssertFalse(broadcaster.hasReaders)
    }

    func testALockIsHandedOnInOrder() async {
        let order = await LockTrial().run()
        XCTAssertEqual(order, [1, 2, 3, 4])
    }
}

private actor LockTrial {
    private let lock = AsyncLock()
    private var order: [Int] = []
    private var isInside = false

    func run() async -> [Int] {
        let tasks = (1...4).map { number in Task { await enter(number) } }
        for task in tasks { await task.value }
        return order
    }

    private func enter(_ number: Int) async {
        await lock.withLock {
            precondition(!isInside, "two at once")
            isInside = true
            for _ in 0..<5 { await Task.yield() }
            order.append(number)
            isInside = false
        }
    }
}
