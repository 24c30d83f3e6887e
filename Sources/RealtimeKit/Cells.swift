// SPDX-License-Identifier: MIT

/// A row of values in memory with another owner.
///
/// A view, as ``Cell`` is. Debug builds check each index; release builds check none and keep no count.
///
/// - Thread: that of the owner of the values.
/// - Realtime: safe.
@safe @usableFromInline package struct Cells<Element: ~Copyable>: BitwiseCopyable {
    @usableFromInline let base: UnsafeMutablePointer<Element>
    #if DEBUG
        @usableFromInline let count: Int
    #endif

    @inlinable
    @inline(always)
    package init(_ base: UnsafeMutablePointer<Element>, count: Int) {
        unsafe self.base = unsafe base
        #if DEBUG
            self.count = count
        #endif
    }

    @usableFromInline package subscript(index: Int) -> Element {
        @inlinable
        @inline(always)
        unsafeAddress { unsafe UnsafePointer(pointer(at: index)) }

        @inlinable
        @inline(always)
        nonmutating unsafeMutableAddress { unsafe pointer(at: index) }
    }

    /// One of the values.
    @inlinable
    @inline(always)
    package func cell(_ index: Int) -> Cell<Element> { unsafe Cell(pointer(at: index)) }

    /// The values from one on.
    @inlinable
    @inline(always)
    package func suffix(from index: Int) -> Cells<Element> {
        #if DEBUG
            return unsafe Cells(pointer(at: index), count: count - index)
        #else
            return unsafe Cells(pointer(at: index), count: 0)
        #endif
    }

    /// The address of one of the values, for C and for views of other shapes.
    @inlinable
    @inline(always)
    package func pointer(at index: Int) -> UnsafeMutablePointer<Element> {
        #if DEBUG
            // Copied first: an assertion's condition is a closure.
            let count = count
            assert(index >= 0 && index < count, "no such cell")
        #endif
        return unsafe base + index
    }
}
