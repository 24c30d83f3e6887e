// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization
import XCTest

final class TripleBufferTests: XCTestCase {
    func testBeforeAnythingIsPublishedTheReaderHasTheInitialValue() {
        let buffer = TripleBuffer { $0 + 10 }
        var reader = buffer.makeReader()
        XCTAssertEqual(reader.value, 12, "the slot that is the reader's at first")
        XCTAssertFalse(reader.take())
        XCTAssertEqual(reader.value, 12)
    }

    func testTheNewestIsTakenOnce() {
        let buffer = TripleBuffer { _ in 0 }
        var writer = buffer.makeWriter()
        var reader = buffer.makeReader()
        writer.value = 1
        XCTAssertFalse(reader.take(), "it is not published yet")
        writer.publish()
        writer.value = 2
        writer.publish()
        XCTAssertTrue(reader.take())
        XCTAssertEqual(reader.value, 2)
        XCTAssertFalse(reader.take())
        XCTAssertEqual(reader.value, 2, "and it is still the newest")
    }

    func testTheWriterLearnsWhetherTheLastValueWasTaken() {
        let buffer = TripleBuffer { _ in 0 }
        var writer = buffer.makeWriter()
        var reader = buffer.makeReader()
        writer.publish()
        XCTAssertFalse(writer.publish(), "nobody took the first")
        reader.take()
        XCTAssertTrue(writer.publish())
        XCTAssertFalse(writer.publish())
    }

    /// Two threads: what is read is in one piece, and never older than what was read before.
    func testTheReaderSeesWholeValuesThatNeverGoBack() {
        // A row for each slot: larger than anything that a processor writes at once.
        let rows = OwnedCells(repeating: 0, count: 3 * 16)
        let cells = rows.cells
        let buffer = TripleBuffer { slot in slot * 16 }
        final class Shared: @unchecked Sendable {
            // @unchecked: the buffer gives each thread a row of its own.
            let cells: Cells<Int>
            var writer: TripleBuffer<Int>.Writer
            let isOver = Atomic<Bool>(false)
            init(_ cells: Cells<Int>, _ writer: TripleBuffer<Int>.Writer) {
                self.cells = cells
                self.writer = writer
            }
        }
        let shared = Shared(cells, buffer.makeWriter())
        var reader = buffer.makeReader()
        let rounds = 50_000
        let thread = Thread {
            for value in 1...rounds {
                for index in 0..<16 { shared.cells[shared.writer.value + index] = value }
                shared.writer.publish()
            }
            shared.isOver.store(true, ordering: .releasing)
        }
        thread.start()
        var last = 0
        var torn = 0
        var isOver = false
        while !isOver {
            isOver = shared.isOver.load(ordering: .acquiring)
            reader.take()
            let values = (0..<16).map { cells[reader.value + $0] }
            if Set(values).count != 1 { torn += 1 }
            XCTAssertGreaterThanOrEqual(values[0], last)
            last = values[0]
        }
        XCTAssertEqual(torn, 0)
        XCTAssertEqual(last, rounds)
    }

    /// Values in owned cells are destroyed with them, once each.
    func testOwnedCellsFreeWhatIsInThem() {
        final class Counter { var count = 0 }
        struct Thing: ~Copyable {
            let counter: Counter
            deinit { counter.count += 1 }
        }
        let counter = Counter()
        do {
            let things = OwnedCells(count: 5) { _ in Thing(counter: counter) }
            XCTAssertEqual(things.count, 5)
            let one = OwnedCells(Thing(counter: counter))
            XCTAssertTrue(one.cell.value.counter === counter)
            XCTAssertEqual(counter.count, 0)
        }
        XCTAssertEqual(counter.count, 6)
    }

    func testCellsAreChangedInPlace() {
        let owned = OwnedCells(repeating: 7, count: 4, alignment: 64)
        let (view, same) = (owned.cells, owned.cells.cell(2))
        view[2] += 1
        XCTAssertEqual(same.value, 8)
        same.value = 1
        XCTAssertEqual((0..<4).map { view[$0] }, [7, 7, 1, 7])
        XCTAssertEqual(unsafe UInt(bitPattern: view.pointer(at: 0)) % 64, 0)
    }
}
