// SPDX-License-Identifier: MIT
package import CRealtime

/// The two words a closure consists of, function and context, without owning the context.
///
/// `crt_call.h` describes their use. The caller keeps the closure alive for as long as its words are used.
@safe package struct ClosureWords: @unchecked Sendable {
    // @unchecked: two addresses, of immutable code and of the context of a @Sendable closure.
    package let words: crt_closure

    /// - Parameter holder: a struct whose only stored property is the closure. The struct matters: a closure passed
    ///   by itself as a generic argument is wrapped into one with another calling convention.
    package init<Holder>(of holder: Holder) {
        precondition(unsafe MemoryLayout<Holder>.size == MemoryLayout<crt_closure>.size, "a holder holds one closure")
        unsafe words = unsafe withUnsafeBytes(of: holder) { unsafe $0.load(as: crt_closure.self) }
    }
}
