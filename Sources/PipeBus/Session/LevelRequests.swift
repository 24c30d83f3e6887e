// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Handles other processes' requests to set levels at our receivers. Confined to the loop.
final class LevelRequests {
    private let ports: PortTable
    private let levels: LevelKeeper
    private let sharing: LevelSharing
    private let notices: NoticeLog
    /// The number of requests that were dropped.
    private var dropped = 0
    private var dropNotices = RateLimit(burst: 1, perSecond: 0.1)
    /// The number of refusals since the last notice of one.
    private var untold = 0
    private var refusalNotices = RateLimit(burst: 16, perSecond: 0.2)

    init(_ ports: PortTable, _ levels: LevelKeeper, _ sharing: LevelSharing, notices: NoticeLog) {
        self.ports = ports
        self.levels = levels
        self.sharing = sharing
        self.notices = notices
        sharing.onRequest = { [weak self] request in self?.requested(request) }
    }

    private func requested(_ request: ExportedMetadata.Request) {
        if request.dropped > 0 { postDropped(request.dropped) }
        guard let key = request.key else {
            return refuse(nil, "everything", because: "levels can be set, and not cleared")
        }
        guard let levelKey = LevelKey(key) else {
            return refuse(nil, key, because: "that is no key that can be written")
        }
        guard let port = ports[levelKey.receiver], let control = port.receiver else {
            return refuse(nil, key, because: "there is no receiver of that name")
        }
        guard !port.declaration.isSeparate else {
            return refuse(port.name, key, because: "that receiver does not mix its sources")
        }
        guard let lane = control.lane(of: levelKey.source) else {
            return refuse(port.name, key, because: "that source is not connected")
        }
        guard let text = request.value else {
            return refuse(port.name, key, because: "a level can be set, and not removed")
        }
        var level = control.lanes[lane].level
        if let reason = levelKey.part.set(&level, to: text) { return refuse(port.name, key, because: reason) }
        levels.setLevel(level, ofLane: lane, at: port, control)
        // Even if the level has not changed, and if several sources share the lane.
        sharing.confirm(key, levelKey.part, level)
    }

    private func postDropped(_ count: Int) {
        dropped += count
        guard dropNotices.allows(at: .now) else { return }
        notices.post(
            Notice(
                kind: .requestRefused, port: nil,
                message: "Other apps send requests faster than they can be handled: \(dropped) were dropped so far."))
    }

    private func refuse(_ port: String?, _ key: String, because reason: String) {
        sharing.refuse(key, because: reason)
        untold += 1
        guard refusalNotices.allows(at: .now) else { return }
        let others = untold > 1 ? " So were \(untold - 1) requests before it." : ""
        untold = 0
        notices.post(
            Notice(
                kind: .requestRefused, port: port,
                message: "Another app wanted to set \"\(Names.shown(key))\", which was refused: \(reason).\(others)"))
    }
}
