// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The app's declaration of a port. It knows no daemon.
struct PortDeclaration: Sendable {
    var kind: PortKind
    var name: String
    var title: String?
    /// The port's icon in the icon theme; that of its app without one.
    var iconName: String?
    /// Number of channels of all lanes.
    var inputs = 0
    var outputs = 0
    var laneCount = 1
    var latency = PortLatency.frames(0)
    /// Names of the app's ports that the port runs after.
    var after: [String] = []
    var inputPositions: [String] = []
    var outputPositions: [String] = []
    var alignment = Alignment.immediate
    var fade = Fade.standard
    var panLaw = PanLaw.constantPower
    var isMonitoring = false
    /// Whether a receiver hands over its sources one by one. It does not mix them, and they have no levels.
    var isSeparate = false
    var isLiveSource = false
    /// Whether the block is called in every cycle, also while the port has no connection.
    var keepsRunning = false
    /// The filter of the app whose auxiliary input a receiver is, by name.
    var auxiliaryOf: String?
    /// Whether a sender is the monitor of a receiver. The connections that the app itself makes for it are not made again.
    var isMonitor = false
    /// Whether a receiver only measures what passes between other ports: its links make no node run, and no other app's graph has it.
    var isMeter = false
    /// Whether a filter is the tap of another one: no graph has it.
    var isTap = false
    /// Whether a filter is bypassed.
    var isBypassed = false

    /// The latency that the port adds, in frames, without that of a receiver that it follows.
    ///
    /// Frames that a sender's block makes ahead of their cycle are late only if they were made elsewhere, and so had to be there
    /// when the block was called.
    func ownFrames(withBlocks blocks: BlockMemory?, auxiliaries: AuxiliaryMemory? = nil) -> Int {
        let isLate = kind == .filter || isLiveSource || latency.receiver != nil
        let added = (isLate ? blocks?.addedFrames ?? 0 : 0) + (auxiliaries?.addedFrames ?? 0)
        // Clamped to the range that a port may publish.
        return min(latency.ownFrames + added, 1_048_576)
    }

    /// Whether other processes may set the levels of its sources. Separate streams have none.
    var hasSharedLevels: Bool { kind == .receiver && !isSeparate }
    /// Number of channels of a lane.
    var laneWidth: Int { laneCount > 0 ? inputs / laneCount : inputs }

    /// The tap of a filter: it has the filter's inputs, and as many outputs.
    var ofTap: PortDeclaration {
        PortDeclaration(
            kind: .filter, name: "\(name).tap", inputs: inputs, outputs: inputs, inputPositions: inputPositions,
            outputPositions: inputPositions.map { $0.replacing("input_", with: "output_", maxReplacements: 1) },
            isTap: true)
    }
}
