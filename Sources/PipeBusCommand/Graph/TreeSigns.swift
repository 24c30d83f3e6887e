// SPDX-License-Identifier: MIT

/// The signs of the text tree, for terminals with all characters and for those with ASCII alone.
struct TreeSigns: Sendable {
    let branch: String
    let lastBranch: String
    let arrow: String
    let through: String
    let loop: String
    private let signs: [GraphDiagram.Port.Kind: String]
    private let isUnicode: Bool

    static let unicode = TreeSigns(
        branch: "├─", lastBranch: "└─", arrow: "→", through: "→", loop: "↺",
        signs: [.sender: "▶", .filter: "◆", .receiver: "■", .playback: "●", .capture: "○", .monitor: "◌"],
        isUnicode: true)
    static let ascii = TreeSigns(
        branch: "|-", lastBranch: "`-", arrow: "->", through: ">", loop: "(loop)",
        signs: [.sender: ">", .filter: "*", .receiver: "#", .playback: "o", .capture: "i", .monitor: "m"],
        isUnicode: false)

    func sign(of kind: GraphDiagram.Port.Kind) -> String { signs[kind] ?? "?" }

    /// The text as the terminal can show it: other characters as "?".
    func shown(_ text: String) -> String {
        guard !isUnicode else { return text }
        let plain = text.replacing("…", with: "~").replacing("“", with: "\"").replacing("”", with: "\"")
            .replacing("∞", with: "inf")
        return String(String.UnicodeScalarView(plain.unicodeScalars.map { $0.isASCII ? $0 : "?" }))
    }
}
