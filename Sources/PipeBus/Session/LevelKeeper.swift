// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Reads and sets the levels of sources at our own receivers, and the app's values for sources. Confined to the loop.
final class LevelKeeper {
    private let declared: Declarations
    private let sharing: LevelSharing
    private let refresh: Refresh

    init(_ declared: Declarations, _ sharing: LevelSharing, _ refresh: Refresh) {
        self.declared = declared
        self.sharing = sharing
        self.refresh = refresh
    }

    // MARK: Levels

    func levels(at port: LivePort) throws -> [GraphPort.ID: Source.Level] {
        let lanes = try port.requireMixer().lanes.filter(\.isLinked)
        return Dictionary(lanes.map { (GraphPort.ID(serial: $0.source), $0.level) }) { first, _ in first }
    }

    func level(of source: GraphPort.ID, at port: LivePort) throws -> Source.Level {
        let control = try port.requireMixer()
        return control.lanes[try lane(of: source, at: port, control)].level
    }

    func changeLevel(of source: GraphPort.ID, at port: LivePort, _ change: (inout Source.Level) -> Void) throws {
        let control = try port.requireMixer()
        let lane = try lane(of: source, at: port, control)
        var level = control.lanes[lane].level
        change(&level)
        setLevel(level, ofLane: lane, at: port, control)
    }

    func setLevel(_ level: Source.Level, ofLane lane: Int, at port: LivePort, _ control: ReceiverControl) {
        control.setLevel(level, lane: lane)
        if let identity = control.lanes[lane].identity {
            declared.setLevel(level, of: identity, at: port.name)
        }
        control.publish()
        sharing.publish(control.lanes[lane], of: port)
        refresh.mark(.sourceReaders)
    }

    func savedLevels(of port: LivePort) throws -> SourceLevels {
        _ = try port.requireMixer()
        return declared.levels(at: port.name)
    }

    func restore(_ saved: SourceLevels, at port: LivePort) throws {
        let control = try port.requireMixer()
        declared.setLevels(saved, at: port.name)
        for (index, lane) in control.lanes.enumerated() {
            if lane.isLinked, let identity = lane.identity { control.setLevel(saved[identity], lane: index) }
        }
        control.publish()
        sharing.publish(port)
        refresh.mark(.sourceReaders)
    }

    // MARK: The app's values for sources

    func setContext(_ context: (any Sendable)?, of source: GraphPort.ID, at port: LivePort) throws {
        let control = try port.requireReceiver()
        control.setContext(context, lane: try lane(of: source, at: port, control))
        refresh.mark(.sourceReaders)
    }

    func setTag(_ tag: UInt64, of source: GraphPort.ID, at port: LivePort) throws {
        let control = try port.requireReceiver()
        control.setTag(tag, lane: try lane(of: source, at: port, control))
        control.publish()
        refresh.mark(.sourceReaders)
    }

    private func lane(of source: GraphPort.ID, at port: LivePort, _ control: ReceiverControl) throws -> Int {
        guard let lane = control.lane(of: source) else {
            throw PipeBusError(.notConnected, "That source is not connected to \(port.title) any more.")
        }
        return lane
    }
}
