// SPDX-License-Identifier: MIT
import Synchronization

/// Ensures that an object has at most one writer and one reader.
final class EndClaims: Sendable {
    private let hasWriter = Atomic<Bool>(false)
    private let hasReader = Atomic<Bool>(false)

    func claimWriter() {
        precondition(
            !hasWriter.exchange(true, ordering: .relaxed), "the writer is there already, and there is only one")
    }

    func claimReader() {
        precondition(
            !hasReader.exchange(true, ordering: .relaxed), "the reader is there already, and there is only one")
    }
}
