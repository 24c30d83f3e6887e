// SPDX-License-Identifier: MIT

extension ReaderCore {
    /// How an interval begins.
    enum Beginning {
        /// It has begun before, or what is left of the sound is read.
        case none
        /// There is no sound.
        case idle
        /// The sound begins, or goes on at another rate.
        case start
        /// The sound goes on. What the pacing wants to do, and by how much its target has changed.
        case step(ReaderPacing.Step, targetChange: Int)
    }
}
