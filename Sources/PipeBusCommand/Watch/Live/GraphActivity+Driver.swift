// SPDX-License-Identifier: MIT
import PipeBus

extension GraphActivity {
    /// The driver of most nodes, where there are several; `nil` while nothing is measured.
    var mainDriver: NodeActivity? {
        let driven = Dictionary(grouping: nodes.filter { $0.cycleLength != nil }) { $0.driver ?? "" }
        guard let name = driven.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) })?.key else {
            return nil
        }
        return nodes.first { $0.isDriver && $0.title == name } ?? driven[name]?.first
    }
}
