// SPDX-License-Identifier: MIT
import CBenchmarkSound

/// The account of what is heard, as the program in C keeps it.
@safe struct Listener: @unchecked Sendable {
    // @unchecked: it is written with atomics, and never freed.
    let sound: OpaquePointer

    init() { unsafe sound = sound_create() }

    func hear(_ left: Float, _ right: Float) {
        unsafe sound_note(sound, 0, left)
        unsafe sound_note(sound, 1, right)
    }
}
