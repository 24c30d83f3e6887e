// SPDX-License-Identifier: MIT

/// Owns a row of values in memory, and gives out views of it.
///
/// - Thread: made and freed on the control side, while the audio thread has no view of it.
/// - Realtime: unsafe; the views are safe.
@safe package struct OwnedCells<Element: ~Copyable>: ~Copyable {
    package let cells: Cells<Element>
    package let count: Int

    /// - Parameters:
    ///   - count: 0 or more.
    ///   - make: called once for each index.
    package init(count: Int, _ make: (_ index: Int) -> Element) {
        self.count = count
        let base = UnsafeMutablePointer<Element>.allocate(capacity: count)
        for index in 0..<count { unsafe (base + index).initialize(to: make(index)) }
        unsafe cells = Cells(base, count: count)
    }

    /// One value on cache lines of its own: it touches as few of them as possible, and no other value is written there.
    package init(_ value: consuming Element) {
        count = 1
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Element>.stride, alignment: max(MemoryLayout<Element>.alignment, 64))
        let base = unsafe memory.bindMemory(to: Element.self, capacity: 1)
        unsafe base.initialize(to: value)
        unsafe cells = Cells(base, count: 1)
    }

    /// The only value, in a row of one.
    package var cell: Cell<Element> { unsafe Cell(cells.base) }

    deinit {
        unsafe cells.base.deinitialize(count: count)
        unsafe cells.base.deallocate()
    }
}

extension OwnedCells where Element: BitwiseCopyable {
    /// A row with one value in all cells. All cells are written, so that no page is first touched by the audio thread.
    ///
    /// - Parameter alignment: alignment of the first cell, in bytes; a power of two.
    package init(repeating value: Element, count: Int, alignment: Int = MemoryLayout<Element>.alignment) {
        self.count = count
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: max(count, 1) * MemoryLayout<Element>.stride, alignment: max(alignment, 16))
        let base = unsafe memory.bindMemory(to: Element.self, capacity: count)
        unsafe base.initialize(repeating: value, count: count)
        unsafe cells = Cells(base, count: count)
    }
}
