// SPDX-License-Identifier: MIT
import PipeBus

/// The levels of sources at a receiver, for other programs.
struct LevelDocument: Encodable {
    struct Level: Encodable {
        var source: String
        var title: String
        /// 0 to 1, linear. This and the rest are absent for a source without a level of its own, as it shares a lane.
        var volume: Double?
        /// -1 (left) to 1.
        var pan: Double?
        var isMuted: Bool?
        var isSoloed: Bool?
    }

    /// Changes if a field gets another meaning.
    var version = 1
    var receiver: String
    var levels: [Level]

    init(of sources: [(port: GraphPort, level: Source.Level?)], at receiver: GraphPort, in graph: GraphSnapshot) {
        self.receiver = graph.uniqueName(of: receiver)
        levels = sources.map { source, level in
            let level = level?.rounded
            return Level(
                source: graph.uniqueName(of: source), title: source.title, volume: level?.volume, pan: level?.pan,
                isMuted: level?.isMuted, isSoloed: level?.isSoloed)
        }
    }
}
