// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Sources that leave a receiver, and those that come for them, as one process asks another to exchange them.
///
/// Text from other processes is parsed strictly.
struct ExchangeRequest: Hashable, Sendable {
    /// More sources than any receiver has lanes.
    static let limit = 64

    var old: [GraphPort.ID]
    var new: [GraphPort.ID]

    init(old: [GraphPort.ID], new: [GraphPort.ID]) {
        self.old = old
        self.new = new
    }

    /// `nil` for any other text than serials with "," between them, of the old sources, a space, and those of the new ones.
    init?(_ text: String) {
        guard text.utf8.count <= 2 * Self.limit * 21 else { return nil }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let old = Self.serials(parts[0]), let new = Self.serials(parts[1]),
            Set(old).isDisjoint(with: new)
        else { return nil }
        self.init(old: old, new: new)
    }

    private static func serials(_ text: Substring) -> [GraphPort.ID]? {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let serials = words.compactMap { GraphPort.ID(text: String($0)) }
        guard serials.count == words.count, serials.count <= limit, Set(serials).count == serials.count else {
            return nil
        }
        return serials
    }

    var text: String {
        [old, new].map { $0.map { "\($0.serial)" }.joined(separator: ",") }.joined(separator: " ")
    }
}
