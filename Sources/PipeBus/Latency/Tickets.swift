// SPDX-License-Identifier: MIT

/// Numbers for what is to be done later, by what it is about. The newest ticket of a key makes the older ones void.
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

    /// - Returns: whether the ticket is valid still. It is so once.
    mutating func redeem(_ ticket: Ticket, for key: Key) -> Bool {
        guard valid[key] == ticket else { return false }
        valid[key] = nil
        return true
    }

    mutating func cancel(_ key: Key) { valid[key] = nil }
}
