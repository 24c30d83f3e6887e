// SPDX-License-Identifier: MIT

extension Pipeline {
    /// The identity of a pipeline over restarts of apps and of the daemon: it follows from the names of the ports alone.
    ///
    /// It is the 64-bit FNV-1a hash of these bytes, for each port in order:
    ///
    /// 1. the app: one byte, and a text. 1 and the application id, 2 and the app's name if it has no id, or 0 and an
    ///   empty text for the daemon's own ports;
    /// 2. the port's `node.name`, as a text;
    /// 3. a number: 0, or the count of ports with these names that came before the port.
    ///
    /// A number is 8 bytes, the lowest first. A text is the number of its bytes, and its bytes in UTF-8.
    ///
    /// Two pipelines of one graph have equal ids with a probability of 1 in 2⁶⁴. Names are chosen by apps, so an app can
    /// make such a pair. An id may choose what is remembered; it must not decide what is permitted. Where two ports have
    /// equal names, after a restart the one that came first has the other's number if they come in another order.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct ID: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible {
        let hash: UInt64

        init(hash: UInt64) { self.hash = hash }

        /// The id of a text that ``description`` gave; `nil` for any other text.
        public init?(_ description: String) {
            let digits = description.utf8
            guard digits.count == 16, digits.allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 }),
                let hash = UInt64(description, radix: 16)
            else { return nil }
            self.hash = hash
        }

        /// 16 lower-case hexadecimal digits.
        public var description: String {
            let digits = String(hash, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let id = Self(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "A pipeline's id has 16 hexadecimal digits.")
            }
            self = id
        }

        /// Encodes ``description``.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(description)
        }

        public static func < (left: Self, right: Self) -> Bool { left.hash < right.hash }
    }
}
