// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Handles other processes' requests to set levels at our receivers. Confined to the loop.
final class LevelRequests {
    private let ports: PortTable
    private let levels: LevelKeeper
    private let sharing: LevelSharing

    init(_ ports: PortTable, _ levels: LevelKeeper, _ sharing: LevelSharing) {
        self.ports = ports
        self.levels = levels
        self.sharing = sharing
    }

    /// - Returns: the refusal; `nil` if the level is set.
    func handle(_ key: String, _ value: String?) -> StateSharing.Refusal? {
        guard let levelKey = LevelKey(key) else {
            return refusal(nil, "that is no key that can be written")
        }
        guard let port = ports[levelKey.receiver], let control = port.receiver else {
            return refusal(nil, "there is no receiver of that name")
        }
        guard !port.declaration.isSeparate else {
            return refusal(port.name, "that receiver does not mix its sources")
        }
        guard let lane = control.lane(of: levelKey.source) else {
            return refusal(port.name, "that source is not connected")
        }
        guard let text = value else { return refusal(port.name, "a level can be set, and not removed") }
        var level = control.lanes[lane].level
        if let reason = levelKey.part.set(&level, to: text) { return refusal(port.name, reason) }
        levels.setLevel(level, ofLane: lane, at: port, control)
        // Even if the level has not changed, and if several sources share the lane.
        sharing.confirm(key, levelKey.part, level)
        return nil
    }

    private func refusal(_ port: String?, _ reason: String) -> StateSharing.Refusal {
        StateSharing.Refusal(port: port, reason: reason)
    }
}
