// SPDX-License-Identifier: MIT

/// The links of other programs that are being moved to another lane, until their new links appear. Pure.
///
/// The daemon makes the new link before it removes the old one. If the old one disappears first, another program has removed it,
/// and so ended the connection.
struct LinkMoves {
    private var newLinks: [UInt32: LinkTable.Key] = [:]
    private var oldLinks: [LinkTable.Key: UInt32] = [:]

    mutating func began(from old: UInt32, to new: LinkTable.Key) {
        newLinks[old] = new
        oldLinks[new] = old
    }

    mutating func appeared(_ key: LinkTable.Key) {
        if let old = oldLinks.removeValue(forKey: key) { newLinks[old] = nil }
    }

    /// - Returns: the new link, if it has not appeared.
    mutating func disappeared(_ link: UInt32) -> LinkTable.Key? {
        guard let new = newLinks.removeValue(forKey: link) else { return nil }
        oldLinks[new] = nil
        return new
    }
}
