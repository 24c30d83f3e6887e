// SPDX-License-Identifier: MIT

/// A button of an app that other apps and patchbays may show and press, as it is at present.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct Trigger: Sendable, Hashable, Identifiable {
    /// Names the trigger in its app, and stays the same over its runs: 1…64 letters, digits, "-", "_" and ".".
    public let id: String
    /// What the trigger is for.
    public let kind: TriggerKind
    /// Whether it is selected, for example, or cannot be pressed.
    public let state: TriggerState
    /// The look in the present state.
    public let face: TriggerFace

    init(id: String, kind: TriggerKind, state: TriggerState, face: TriggerFace) {
        self.id = id
        self.kind = kind
        self.state = state
        self.face = face
    }

    static let longestID = 64
    /// The largest number of triggers of an app.
    static let largestCount = 64

    static func isValid(id: String) -> Bool {
        1...longestID ~= id.utf8.count
            && id.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                    || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains(byte)
            }
    }

    /// - Throws: ``PipeBusError`` `invalidArgument`.
    static func check(id: String) throws {
        guard isValid(id: id) else {
            throw PipeBusError(
                .invalidArgument,
                "\"\(Names.shown(id))\" is no identifier of a trigger; use 1 to \(longestID) letters, digits, -, _ and a dot."
            )
        }
    }
}
