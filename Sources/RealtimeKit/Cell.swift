// SPDX-License-Identifier: MIT

/// A value in memory with another owner.
///
/// A view: it is copied like an address, and copying it neither retains nor frees. ``OwnedCells`` owns the memory and
/// must outlive the view.
///
/// `@safe` states that contract once, so that the code behind it needs no `unsafe` of its own.
///
/// - Thread: that of the owner of the value.
/// - Realtime: safe.
@safe @usableFromInline package struct Cell<Value: ~Copyable>: BitwiseCopyable {
    /// The address, for C and for views of other shapes.
    @usableFromInline package let pointer: UnsafeMutablePointer<Value>

    @inlinable
    @inline(always)
    package init(_ pointer: UnsafeMutablePointer<Value>) { unsafe self.pointer = unsafe pointer }

    // Not `@_noLocks`, which a generic function cannot be: inlined, it is checked as a part of its caller.
    @usableFromInline package var value: Value {
        @inlinable
        @inline(always)
        unsafeAddress { unsafe UnsafePointer(pointer) }

        @inlinable
        @inline(always)
        nonmutating unsafeMutableAddress { unsafe pointer }
    }
}
