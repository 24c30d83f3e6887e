// SPDX-License-Identifier: MIT
import ConnectionGraph

/// What the app asked for when it added a port. Knows no daemon.
struct PortDeclaration: Sendable {
    var kind: PortKind
    var name: String
    var title: String?
    /// Channels in all lanes.
    var inputs = 0
    var outputs = 0
    var laneCount = 1
    var latency = PortLatency.frames(0)
    /// Names of ports of the app that it is to run after.
    var after: [String] = []
    var inputPositions: [String] = []
    var outputPositions: [String] = []
    var alignment = Alignment.immediate
    var fade = Fade.standard
    var panLaw = PanLaw.constantPower
    var isMonitoring = false
    /// A receiver that does not mix: its sources have no levels.
    var isSeparate = false
    var isLiveSource = false
    /// A filter that passes on what it takes.
    var isBypassed = false

    /// Channels of a lane.
    var laneWidth: Int { laneCount > 0 ? inputs / laneCount : inputs }
}
