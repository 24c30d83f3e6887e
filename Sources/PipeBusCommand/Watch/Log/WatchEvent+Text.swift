// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import ToolSupport

extension WatchEvent {
    /// The line for people, without the time. It holds nothing that a terminal would act on.
    var text: String {
        TerminalText.printable(
            TextColumns.fit(word, to: 13) + words.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "  "))
    }

    private var word: String {
        switch event {
        case .portAdded: "port"
        case .portRemoved: "gone"
        case .portChanged: "changed"
        case .connected, .linksChanged: "connected"
        case .disconnected: "disconnected"
        case .level: "level"
        case .xrun: "xrun"
        case .daemon: "daemon"
        case .notice: "notice"
        }
    }

    private var words: [String?] {
        let connection = "\(source ?? "") → \(destination ?? "")"
        switch event {
        case .portAdded, .portRemoved, .portChanged:
            let of = app.map { " of \($0)" } ?? ""
            return [
                port, (isDevice == true ? "device" : "\(kind ?? "")\(of)"),
                title == port ? nil : title.map { "“\($0)”" }, isBypassed == true ? "bypassed" : nil,
            ]
        case .connected, .linksChanged:
            let part = links.flatMap { $0.isPartial ? "\($0.present) of \($0.expected ?? 0) links" : nil }
            return [connection, medium.flatMap { Medium(rawValue: $0) }.map { $0 == .audio ? "" : $0.word }, part]
        case .disconnected: return [connection]
        case .level:
            let level = Source.Level(
                volume: volume ?? 1, pan: pan ?? 0, isMuted: isMuted == true, isSoloed: isSoloed == true)
            return [
                connection, DiagramText.volume(level), DiagramText.pan(level), level.isMuted ? "muted" : nil,
                level.isSoloed ? "solo" : nil,
            ]
        case .xrun:
            return [
                port ?? title, count.map { "\($0) cycle\($0 == 1 ? "" : "s")" }, culprit.map { "the fault of \($0)" },
            ]
        case .daemon: return [message ?? state]
        case .notice: return [message]
        }
    }
}
