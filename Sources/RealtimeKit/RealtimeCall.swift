// SPDX-License-Identifier: MIT
package import CRealtime

/// The audio thread's call once per graph cycle for one node: a body of this library that takes the user's block.
///
/// - Thread: made on the control side, called on the audio thread.
@safe package struct RealtimeCall: Sendable {
    private let body: ClosureWords
    private let block: ClosureWords

    /// - Parameters:
    ///   - body: a function `(core, cycle, block) -> Void` whose last parameter is a non-escaping closure of `block`'s
    ///     type, annotated `@_noLocks` where it is declared.
    ///   - block: the user's block.
    package init(body: ClosureWords, block: ClosureWords) {
        self.body = body
        self.block = block
    }

    /// The call in C's form, for one core. The caller keeps alive whatever it points to.
    package func words(core: UnsafeMutableRawPointer) -> crt_call {
        unsafe crt_call(body: body.words, block: block.words, core: core)
    }
}
