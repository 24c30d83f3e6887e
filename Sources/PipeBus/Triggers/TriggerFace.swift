// SPDX-License-Identifier: MIT

/// How a trigger looks, in one of its states or in all.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct TriggerFace: Sendable, Hashable {
    /// 1…128 bytes on one line.
    public var title: String
    /// An icon in the icon theme, such as "media-record"; 1…128 bytes.
    public var iconName: String?
    /// `nil` for what whoever shows the trigger finds fitting.
    public var color: TriggerColor?

    /// A look. It is checked when a trigger gets it.
    public init(title: String, iconName: String? = nil, color: TriggerColor? = nil) {
        self.title = title
        self.iconName = iconName
        self.color = color
    }

    /// - Throws: ``PipeBusError`` `invalidArgument`.
    func check() throws {
        try Names.check(text: title, what: "The title of a trigger")
        if let iconName { try Names.check(text: iconName, what: "The name of an icon") }
    }
}
