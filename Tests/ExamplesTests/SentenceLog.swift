// SPDX-License-Identifier: MIT
import Synchronization

/// Keeps the sentences that something reports.
final class SentenceLog: Sendable {
    private let content = Mutex<[String]>([])

    func add(_ sentence: String) { content.withLock { $0.append(sentence) } }
    var sentences: [String] { content.withLock { $0 } }
}
