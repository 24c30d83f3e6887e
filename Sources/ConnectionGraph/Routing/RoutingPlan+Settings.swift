// SPDX-License-Identifier: MIT

/// Levels and bypasses: set once when the connection or the filter is there, so that a person may change them afterwards.
extension RoutingPlan {
    mutating func setLevel(_ pair: Pair, _ record: inout RoutingRecord, at now: Instant, _ actions: inout [Action]) {
        guard case .due(let time) = record.level, time <= now, actionCount < Self.mostActions,
            let level = preset.connections[record.index].level
        else { return }
        if let port = graph.port(pair.destination), !port.keepsLevels {
            record.level = .failed(
                "\(graph.uniqueName(of: port)) keeps no levels of its sources: only a receiver made with PipeBus that mixes does."
            )
            return
        }
        record.level = .underWay
        actionCount += 1
        actions.append(.setLevel(pair, level))
    }

    mutating func stepBypass(of filter: GraphPort.ID, at now: Instant, _ actions: inout [Action]) {
        guard var record = bypasses[filter], case .due(let time) = record.level, let port = graph.port(filter) else {
            return
        }
        defer { bypasses[filter] = record }
        let isBypassed = preset.bypasses[record.index].isBypassed
        if port.isBypassed == isBypassed {
            record.level = .done
        } else if time <= now, actionCount < Self.mostActions {
            record.level = .underWay
            actionCount += 1
            actions.append(.setBypass(filter, isBypassed))
        }
    }

    func isSet(_ record: inout RoutingRecord, _ outcome: Outcome, at now: Instant) {
        record.levelAttempts += 1
        switch outcome {
        case .done, .alreadyConnected: record.level = .done
        // The connection has gone meanwhile. If it comes back, the level is set then.
        case .removed: record.level = .due(now + RoutingDelay.setting(record.levelAttempts))
        case .failed(let reason, let isFinal):
            record.level =
                isFinal || record.levelAttempts >= RoutingDelay.mostSettingAttempts
                ? .failed(reason) : .due(now + RoutingDelay.setting(record.levelAttempts))
        }
    }
}
