// SPDX-License-Identifier: MIT
import Foundation

extension Encodable {
    /// A document for other programs and for people, over several lines.
    var jsonDocument: String { get throws { try json([.prettyPrinted]) } }

    /// The same on one line, in a stream of them.
    var jsonLine: String { get throws { try json([]) } }

    private func json(_ format: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, format]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
