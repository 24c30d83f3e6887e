// SPDX-License-Identifier: MIT

/// Tickets for deferred work, by key. A new ticket of a key invalidates the older ones.
struct Tickets<Key: Hashable> {
    struct Ticket: Hashable {
        fileprivate let number: Int
    }

    private var count = 0
    private var valid: [Key: Ticket] = [:]

    mutating func issue(_ key: Key) -> Ticket {
        count += 1
        let ticket = Ticket(number: count)
        valid[key] = ticket
        return ticket
    }

    /// Uses a ticket up.
    ///
    /// - Returns: whether the ticket was still valid.
    mutating func redeem(_ ticket: Ticket, for key: Key) -> Bool {
        guard valid[key] == ticket else { return false }
        valid[key] = nil
        return true
    }

    /// Invalidates the tickets of a key. Idempotent.
    mutating func cancel(_ key: Key) { valid[key] = nil }
}
