// SPDX-License-Identifier: MIT

/// A fault, each as often as its number says.
enum SoakDeed: String, CaseIterable, Sendable {
    case killDaemon = "daemon killed"
    case restartDaemon = "daemon ended by SIGTERM"
    case stopDaemon = "daemon stopped for a while"
    case killApp = "app killed"
    case stopApp = "app stopped for a while"
    case hangBlock = "block stuck for a while"
    case destroyClient = "client destroyed"
    case destroyNode = "node destroyed"
    case destroyLinks = "links destroyed"
    case forceQuantum = "quantum forced"
    case forceRate = "rate forced"
    case several = "several faults at once"
    case garbage = "metadata written by a stranger"

    private var weight: Int {
        switch self {
        case .killDaemon, .killApp, .hangBlock, .forceQuantum, .several: 3
        case .restartDaemon, .stopDaemon, .destroyNode, .destroyLinks, .forceRate, .garbage: 2
        case .stopApp: 4
        case .destroyClient: 1
        }
    }

    /// For how long the sound may be away. A source that hangs again within a minute waits for up to 30 seconds.
    var bound: Duration {
        switch self {
        case .stopApp, .hangBlock, .stopDaemon, .several: .seconds(60)
        default: .seconds(20)
        }
    }

    static func random(using generator: inout some RandomNumberGenerator) -> SoakDeed {
        let list = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
        return list.randomElement(using: &generator) ?? .killDaemon
    }
}
